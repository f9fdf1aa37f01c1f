import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { DurationInput } from "../../protocol/duration.ts"
import type { FileRouteTypes, TypedFileRoute } from "../../protocol/files/file-route.ts"
import type { Json } from "../../protocol/json.ts"
import type { FileDescriptor } from "../../protocol/messages.ts"
import type { Transport } from "../../protocol/signing/signed-url.ts"
import type { UploadError } from "../../protocol/errors/upload-error.ts"
import type { CompiledConfig } from "./route-config.ts"
import type {
  FileArguments,
  FileDecision,
  FileKeySeedArguments,
  MiddlewareArguments,
  UploadCompleteArguments,
  UploadErrorArguments,
} from "./user-code-arguments.ts"

/** How a route behaves. Properties of its files, such as `acl`, are set for each kind of file. */
export interface RouteOptions<IsAwaited extends boolean = boolean> {
  /** Whether the browser waits for what `onUploadComplete` returns. Default true. */
  readonly awaitServerData?: IsAwaited
  /** How long the signed upload URLs are valid. Default one hour. */
  readonly presignedUrlTtl?: DurationInput | undefined
  /**
   * How long a file may wait, once it has arrived, for the app to claim it: `"24 hours"`, or seconds. Until then only a
   * signed URL reads it; one that nobody claims is deleted. Default: files need no claim.
   */
  readonly claim?: DurationInput | undefined
  /**
   * Whether a file that has arrived is held: only those who decide about it can read it, and `onUploadComplete` does not run, until `releaseFiles`,
   * `rejectFiles` or the ingest's scanner has decided. Default false.
   */
  readonly hold?: boolean | undefined
  /**
   * `"direct"`: pages send the bytes straight to the ingest's bucket, where it has one that proves what it takes; else through
   * the ingest, as ever. Such files have no `fileHash`, unless the ingest reads them again. Default: through the ingest.
   */
  readonly transport?: Transport | undefined
  /**
   * Makes file keys deterministic: the same seed gives the same key. Default random, 132 bits.
   *
   * A key holds one file, whoever uploads it: put the user's id into the seed, or a user can take the keys of others.
   * `.file()` can return the same as `keySeed`, with the types of input and metadata.
   */
  fileKeySeed?(file: FileDescriptor, args: FileKeySeedArguments): string
}

/** Options shared by all routes of one builder. */
export interface SluiceOptions<ErrorData extends Json | undefined> {
  /** Returns what browsers find in the `data` of an error of a route of this builder. */
  readonly errorFormatter?: ((error: UploadError) => ErrorData) | undefined
}

type UserCode<Arguments, Result> = (args: Arguments) => Result | PromiseLike<Result>

/** A finished file route, as the handler runs it. */
export interface RouteDefinition<in Native extends object> {
  readonly config: CompiledConfig
  readonly awaitServerData: boolean
  /** ms. */
  readonly presignedUrlTtl: number
  readonly claim: DurationInput | undefined
  readonly hold: boolean | undefined
  readonly transport: Transport | undefined
  readonly fileKeySeed: RouteOptions["fileKeySeed"]
  readonly errorFormatter: ((error: UploadError) => Json | undefined) | undefined
  readonly input: StandardSchemaV1 | undefined
  readonly middleware: UserCode<Native & MiddlewareArguments<any>, unknown> | undefined
  readonly file: UserCode<Native & FileArguments<any, any>, FileDecision | void> | undefined
  readonly onUploadComplete: UserCode<Native & UploadCompleteArguments<any>, unknown>
  readonly onUploadError: UserCode<Native & UploadErrorArguments<any>, unknown> | undefined
}

/** A finished file route. It ends with `.onUploadComplete(…)`. */
export interface FileRoute<in Native extends object, out Types extends FileRouteTypes> extends TypedFileRoute<Types> {
  readonly "~route": RouteDefinition<Native>
}

/** Slug → route. `satisfies FileRouter` preserves the types of each. */
export interface FileRouter<Native extends object = any> {
  readonly [slug: string]: FileRoute<Native, any>
}
