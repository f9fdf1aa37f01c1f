import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { DurationInput } from "../protocol/duration.ts"
import { parseDuration } from "../protocol/duration.ts"
import type { FileRouteTypes, TypedFileRoute } from "../protocol/file-route.ts"
import type { Json } from "../protocol/json.ts"
import { limits } from "../protocol/limits.ts"
import type { FileDescriptor, StoredFile } from "../protocol/messages.ts"
import type { RouteConfigInput } from "../protocol/route-config.ts"
import { UploadError } from "../protocol/upload-error.ts"
import { type CompiledConfig, compileConfig } from "./route-config.ts"

/** A value after its trip through JSON: dates are strings, functions are gone, `undefined` alone is `null`. */
export type Serialized<T> = [T] extends [Json] ? T : [T] extends [undefined | void] ? null : SerializedDeep<T>

type SerializedDeep<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends { toJSON(): infer R }
    ? R
    : T extends ((...args: never) => unknown) | symbol | bigint
      ? undefined
      : T extends object
        ? { [K in keyof T]: SerializedDeep<T[K]> }
        : T

/** Which delivery of an event this is. */
export interface Delivery {
  /** The same over all attempts: deduplicate by it. */
  readonly id: string
  /** From 1. */
  readonly attempt: number
  /** Of this attempt, ms since the epoch. */
  readonly sentAt: number
}

/** What every piece of user code gets, beside what the framework's adapter adds. */
interface RequestArguments {
  /** The request as the Web platform knows it; its body is read already. */
  readonly request: Request
}

export interface MiddlewareArguments<Input> extends RequestArguments {
  readonly input: Input
  readonly files: ReadonlyArray<FileDescriptor>
}

export interface FileArguments<Input, Metadata> extends RequestArguments {
  readonly file: FileDescriptor
  readonly input: Input
  readonly metadata: Metadata
}

/** What the app can decide about a file before it is uploaded. */
export interface FileDecision {
  /** The name the file is stored under; the client's by default. */
  readonly name?: string | undefined
  /** The app's own id of the file: it can be read and deleted by it. */
  readonly customId?: string | undefined
}

export interface UploadCompleteArguments<Metadata> extends RequestArguments {
  /** What the middleware returned, after its trip through JSON. */
  readonly metadata: Metadata
  readonly file: StoredFile
  readonly delivery: Delivery
}

export interface UploadErrorArguments<Metadata> extends RequestArguments {
  readonly metadata: Metadata
  readonly fileKey: string
  readonly error: UploadError
  readonly delivery: Delivery
}

/** How a route behaves. */
export interface RouteOptions {
  /** Whether the browser waits for what `onUploadComplete` returns. Default true. */
  readonly awaitServerData?: boolean
  /** How long the signed upload URLs are valid. Default one hour. */
  readonly presignedUrlTtl?: DurationInput
  /** Makes file keys deterministic: the same seed gives the same key. Default random, 132 bits. */
  readonly fileKeySeed?: (file: FileDescriptor) => string
}

export interface SluiceOptions<ErrorData extends Json | undefined> {
  /** What browsers find in the `data` of an error of a route made by this builder. */
  readonly errorFormatter?: (error: UploadError) => ErrorData
}

type UserCode<Arguments, Result> = (args: Arguments) => Result | Promise<Result>

/** A finished file route as the handler runs it. */
export interface RouteDefinition<in Native extends object> {
  readonly config: CompiledConfig
  readonly awaitServerData: boolean
  /** ms. */
  readonly presignedUrlTtl: number
  readonly fileKeySeed: ((file: FileDescriptor) => string) | undefined
  readonly errorFormatter: ((error: UploadError) => Json | undefined) | undefined
  readonly input: StandardSchemaV1 | undefined
  readonly middleware: UserCode<Native & MiddlewareArguments<any>, unknown> | undefined
  readonly file: UserCode<Native & FileArguments<any, any>, FileDecision | void> | undefined
  readonly onUploadComplete: UserCode<Native & UploadCompleteArguments<any>, unknown>
  readonly onUploadError: UserCode<Native & UploadErrorArguments<any>, unknown> | undefined
}

/** A finished file route: ends with `.onUploadComplete(…)`. */
export interface FileRoute<in Native extends object, out Types extends FileRouteTypes> extends TypedFileRoute<Types> {
  readonly "~route": RouteDefinition<Native>
}

/** Slug → route. `satisfies FileRouter` keeps the types of each. */
export interface FileRouter<Native extends object = any> {
  readonly [slug: string]: FileRoute<Native, any>
}

/** A step in the wrong place: the compiler shows the sentence where the argument should be. */
type Misplaced<Sentence extends string> = (sentence: Sentence) => never

interface Ending<Native extends object, WireInput, Metadata, ErrorData, IsAwaited> {
  /** Runs after each file has arrived, at least once (deduplicate by `delivery.id`); the browser gets what it returns. */
  onUploadComplete<Result>(run: UserCode<Native & UploadCompleteArguments<Metadata>, Result>): FileRoute<
    Native,
    {
      readonly input: WireInput
      readonly serverData: [IsAwaited] extends [false] ? null : Serialized<Result>
      readonly errorData: ErrorData
    }
  >
  // In tuples and without an alias, or the compiler shows neither: the error is the sentence.
  readonly "~types": ["End the route with .onUploadComplete(…)."]
  readonly "~route": ["End the route with .onUploadComplete(…)."]
}

/** After `.onUploadError`. */
export interface RouteWithErrorHandler<Native extends object, WireInput, Metadata, ErrorData, IsAwaited> extends Ending<
  Native,
  WireInput,
  Metadata,
  ErrorData,
  IsAwaited
> {
  readonly input: Misplaced<"Call .input() first, before .middleware().">
  readonly middleware: Misplaced<"Call .middleware() before .onUploadError().">
  readonly file: Misplaced<"Call .file() before .onUploadError().">
  readonly onUploadError: Misplaced<"The route has an .onUploadError() already.">
}

/** After `.file`. */
export interface RouteWithFile<Native extends object, WireInput, Metadata, ErrorData, IsAwaited> extends Ending<
  Native,
  WireInput,
  Metadata,
  ErrorData,
  IsAwaited
> {
  readonly input: Misplaced<"Call .input() first, before .middleware().">
  readonly middleware: Misplaced<"Call .middleware() before .file().">
  readonly file: Misplaced<"The route has a .file() already.">
  /** Runs when the upload of a file failed for good. */
  onUploadError(
    run: UserCode<Native & UploadErrorArguments<Metadata>, void>,
  ): RouteWithErrorHandler<Native, WireInput, Metadata, ErrorData, IsAwaited>
}

/** After `.middleware`. */
export interface RouteWithMiddleware<
  Native extends object,
  WireInput,
  Input,
  Metadata,
  ErrorData,
  IsAwaited,
> extends Ending<Native, WireInput, Serialized<Metadata>, ErrorData, IsAwaited> {
  readonly input: Misplaced<"Call .input() before .middleware(), so that the middleware sees it.">
  readonly middleware: Misplaced<"The route has a .middleware() already: do both things in one.">
  /** Decides the name and the custom id of each file. */
  file(
    run: UserCode<Native & FileArguments<Input, Metadata>, FileDecision | void>,
  ): RouteWithFile<Native, WireInput, Serialized<Metadata>, ErrorData, IsAwaited>
  /** Runs when the upload of a file failed for good. */
  onUploadError(
    run: UserCode<Native & UploadErrorArguments<Serialized<Metadata>>, void>,
  ): RouteWithErrorHandler<Native, WireInput, Serialized<Metadata>, ErrorData, IsAwaited>
}

type Empty = Record<never, never>

interface BeforeMiddleware<Native extends object, WireInput, Input, ErrorData, IsAwaited> extends Ending<
  Native,
  WireInput,
  Empty,
  ErrorData,
  IsAwaited
> {
  /**
   * Runs before an upload is allowed: throw an `UploadError` to refuse it, return what the callbacks will need
   * (at most 64 KiB as JSON).
   */
  middleware<Metadata>(
    run: UserCode<Native & MiddlewareArguments<Input>, Metadata>,
  ): RouteWithMiddleware<Native, WireInput, Input, Metadata, ErrorData, IsAwaited>
  /** Decides the name and the custom id of each file. */
  file(
    run: UserCode<Native & FileArguments<Input, Empty>, FileDecision | void>,
  ): RouteWithFile<Native, WireInput, Empty, ErrorData, IsAwaited>
  /** Runs when the upload of a file failed for good. */
  onUploadError(
    run: UserCode<Native & UploadErrorArguments<Empty>, void>,
  ): RouteWithErrorHandler<Native, WireInput, Empty, ErrorData, IsAwaited>
}

/** After `.input`. */
export interface RouteWithInput<Native extends object, WireInput, Input, ErrorData, IsAwaited> extends BeforeMiddleware<
  Native,
  WireInput,
  Input,
  ErrorData,
  IsAwaited
> {
  readonly input: Misplaced<"The route has an .input() already.">
}

/** A route as `f(config)` begins it. */
export interface RouteStart<Native extends object, ErrorData, IsAwaited> extends BeforeMiddleware<
  Native,
  undefined,
  undefined,
  ErrorData,
  IsAwaited
> {
  /** What the client sends along: any Standard Schema (zod, valibot, arktype, effect, …). */
  input<Schema extends StandardSchemaV1>(
    schema: Schema,
  ): RouteWithInput<
    Native,
    StandardSchemaV1.InferInput<Schema>,
    StandardSchemaV1.InferOutput<Schema>,
    ErrorData,
    IsAwaited
  >
}

/** Begins a file route: which files it takes, how it behaves. */
export interface RouteBuilder<Native extends object, ErrorData> {
  <const Options extends RouteOptions>(
    config: RouteConfigInput,
    options?: Options,
  ): RouteStart<Native, ErrorData, Options["awaitServerData"]>
}

/** The builder behind all the step types: each step fills one field. */
class RouteSteps<Native extends object> {
  readonly #definition: RouteDefinition<Native>

  constructor(definition: RouteDefinition<Native>) {
    this.#definition = definition
  }

  #with(step: Partial<RouteDefinition<Native>>): RouteSteps<Native> {
    return new RouteSteps({ ...this.#definition, ...step })
  }

  input(input: StandardSchemaV1) {
    return this.#with({ input })
  }
  middleware(middleware: RouteDefinition<Native>["middleware"]) {
    return this.#with({ middleware })
  }
  file(file: RouteDefinition<Native>["file"]) {
    return this.#with({ file })
  }
  onUploadError(onUploadError: RouteDefinition<Native>["onUploadError"]) {
    return this.#with({ onUploadError })
  }
  onUploadComplete(onUploadComplete: RouteDefinition<Native>["onUploadComplete"]) {
    return { "~route": { ...this.#definition, onUploadComplete } }
  }
}

const parseTtl = (ttl: DurationInput | undefined): number => {
  if (ttl === undefined) return limits.presignedUrlTtl
  const parsed = parseDuration(ttl)
  if (parsed.ok) return parsed.value
  throw new UploadError({ code: parsed.code, message: `presignedUrlTtl: ${parsed.detail}` })
}

/**
 * Makes the builder of file routes for requests that come with `Native` arguments.
 *
 * Fails: the builder throws an `UploadError` with code INVALID_CONFIG where a size, count or duration is not one.
 */
export const createRouteBuilder = <Native extends object, ErrorData extends Json | undefined = undefined>(
  sluiceOptions: SluiceOptions<ErrorData> = {},
): RouteBuilder<Native, ErrorData> => {
  const begin = (config: RouteConfigInput, options: RouteOptions = {}) =>
    new RouteSteps<Native>({
      config: compileConfig(config),
      awaitServerData: options.awaitServerData ?? true,
      presignedUrlTtl: parseTtl(options.presignedUrlTtl),
      fileKeySeed: options.fileKeySeed,
      errorFormatter: sluiceOptions.errorFormatter,
      input: undefined,
      middleware: undefined,
      file: undefined,
      onUploadComplete: () => null,
      onUploadError: undefined,
    })
  return begin as unknown as RouteBuilder<Native, ErrorData>
}
