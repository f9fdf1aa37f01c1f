import type { StandardSchemaV1 } from "@standard-schema/spec"
import type { RouteConfigInput } from "../../protocol/files/route-config.ts"
import type { FileRoute, RouteOptions } from "./file-route.ts"
import type { Serialized } from "./serialized.ts"
import type {
  FileArguments,
  FileDecision,
  MiddlewareArguments,
  UploadCompleteArguments,
  UploadErrorArguments,
} from "./user-code-arguments.ts"

// The types of the chain that makes a file route: one interface per stage, so that a step in the wrong place is an
// error that reads as a sentence. The stages repeat each other's members instead of inheriting them: with a schema of
// its own in every route, inheritance costs the compiler a fifth more (`npm run bench types`).

/** Identifies a Standard Schema. Checking it against the whole interface here would cost the compiler as much as reading it. */
interface StandardSchema {
  readonly "~standard": unknown
}

/**
 * What a schema takes and returns. zod's types are read where zod keeps them: through its Standard Schema they cost
 * the compiler half as much again.
 */
type SchemaInput<Schema> = Schema extends { readonly _zod: any }
  ? Schema["_zod"]["input"]
  : Schema extends StandardSchemaV1<infer Input, any>
    ? Input
    : undefined

type SchemaOutput<Schema> = Schema extends { readonly _zod: any }
  ? Schema["_zod"]["output"]
  : Schema extends StandardSchemaV1<any, infer Output>
    ? Output
    : undefined

/** Metadata of a route without a middleware. */
type Empty = Record<never, never>

/** A step in the wrong place: the compiler shows the sentence in place of the argument. */
type Misplaced<Sentence extends string> = (sentence: Sentence) => never

/** In a tuple and without an alias, otherwise the compiler does not show the sentence as the error. */
interface Unfinished {
  readonly "~types": ["End the route with .onUploadComplete(…)."]
  readonly "~route": ["End the route with .onUploadComplete(…)."]
}

/** Runs after each file has arrived, at least once (deduplicate by `delivery.id`); the browser gets what it returns. */
type OnUploadComplete<Native extends object, Schema, Metadata, ErrorData, IsAwaited> = <Result>(
  run: (args: Native & UploadCompleteArguments<Metadata>) => Result,
) => FileRoute<
  Native,
  {
    readonly input: SchemaInput<Schema>
    readonly serverData: [IsAwaited] extends [false] ? null : Serialized<Awaited<Result>>
    readonly errorData: ErrorData
  }
>

/** The stage after `.onUploadError`. */
export interface RouteWithErrorHandler<
  Native extends object,
  Schema,
  Metadata,
  ErrorData,
  IsAwaited,
> extends Unfinished {
  /**
   * Ends the route. The function runs after each file has arrived, at least once: deduplicate by `delivery.id`. The
   * browser gets its return value.
   */
  readonly onUploadComplete: OnUploadComplete<Native, Schema, Metadata, ErrorData, IsAwaited>
  readonly input: Misplaced<"Call .input() first, before .middleware().">
  readonly middleware: Misplaced<"Call .middleware() before .onUploadError().">
  readonly file: Misplaced<"Call .file() before .onUploadError().">
  readonly onUploadError: Misplaced<"The route has an .onUploadError() already.">
}

/** Runs when the upload of a file failed for good. */
type OnUploadError<Native extends object, Schema, Metadata, ErrorData, IsAwaited> = (
  run: (args: Native & UploadErrorArguments<Metadata>) => unknown,
) => RouteWithErrorHandler<Native, Schema, Metadata, ErrorData, IsAwaited>

/** The stage after `.file`. */
export interface RouteWithFile<Native extends object, Schema, Metadata, ErrorData, IsAwaited> extends Unfinished {
  /**
   * Ends the route. The function runs after each file has arrived, at least once: deduplicate by `delivery.id`. The
   * browser gets its return value.
   */
  readonly onUploadComplete: OnUploadComplete<Native, Schema, Metadata, ErrorData, IsAwaited>
  /** The function runs when the upload of a file has failed for good, with the `error` and the metadata. */
  readonly onUploadError: OnUploadError<Native, Schema, Metadata, ErrorData, IsAwaited>
  readonly input: Misplaced<"Call .input() first, before .middleware().">
  readonly middleware: Misplaced<"Call .middleware() before .file().">
  readonly file: Misplaced<"The route has a .file() already.">
}

/** What `.file()` may return. */
type Deciding = FileDecision | void | PromiseLike<FileDecision | void>

type UnknownField<Decided> = Decided extends object ? Exclude<keyof Decided, keyof FileDecision> & string : never

/** The compiler accepts additional fields in a function's return value: here one becomes an error that reads as a sentence. */
type Known<Decided, Field extends string = UnknownField<Awaited<Decided>>> = [Field] extends [never]
  ? unknown
  : [`.file() does not decide ${Field}.`]

/** Decides how each file is stored. `Returned` is the metadata before its serialization to JSON. */
type DecideFile<Native extends object, Schema, Returned, Metadata, ErrorData, IsAwaited> = <
  Run extends (args: Native & FileArguments<SchemaOutput<Schema>, Returned>) => Deciding,
>(
  run: Run & Known<ReturnType<Run>>,
) => RouteWithFile<Native, Schema, Metadata, ErrorData, IsAwaited>

/** The stage after `.middleware`. */
export interface RouteWithMiddleware<
  Native extends object,
  Schema,
  Returned,
  Metadata,
  ErrorData,
  IsAwaited,
> extends Unfinished {
  /**
   * Ends the route. The function runs after each file has arrived, at least once: deduplicate by `delivery.id`. The
   * browser gets its return value.
   */
  readonly onUploadComplete: OnUploadComplete<Native, Schema, Metadata, ErrorData, IsAwaited>
  /** The function runs when the upload of a file has failed for good, with the `error` and the metadata. */
  readonly onUploadError: OnUploadError<Native, Schema, Metadata, ErrorData, IsAwaited>
  /** The function decides the name, custom id, key seed, ACL and disposition of each file before it is uploaded. */
  readonly file: DecideFile<Native, Schema, Returned, Metadata, ErrorData, IsAwaited>
  readonly input: Misplaced<"Call .input() before .middleware(), so that the middleware sees it.">
  readonly middleware: Misplaced<"The route has a .middleware() already: do both things in one.">
}

/**
 * Runs before an upload is allowed: throw an `UploadError` to refuse it, return what the callbacks will need (at most
 * 64 KiB as JSON).
 */
type Middleware<Native extends object, Schema, ErrorData, IsAwaited> = <Returned>(
  run: (args: Native & MiddlewareArguments<SchemaOutput<Schema>>) => Returned,
) => RouteWithMiddleware<Native, Schema, Awaited<Returned>, Serialized<Awaited<Returned>>, ErrorData, IsAwaited>

/** The stage after `.input`. */
export interface RouteWithInput<Native extends object, Schema, ErrorData, IsAwaited> extends Unfinished {
  /**
   * Ends the route. The function runs after each file has arrived, at least once: deduplicate by `delivery.id`. The
   * browser gets its return value.
   */
  readonly onUploadComplete: OnUploadComplete<Native, Schema, Empty, ErrorData, IsAwaited>
  /** The function runs when the upload of a file has failed for good, with the `error` and the metadata. */
  readonly onUploadError: OnUploadError<Native, Schema, Empty, ErrorData, IsAwaited>
  /** The function decides the name, custom id, key seed, ACL and disposition of each file before it is uploaded. */
  readonly file: DecideFile<Native, Schema, Empty, Empty, ErrorData, IsAwaited>
  /**
   * The function runs before an upload is allowed: throw an `UploadError` to refuse it; its return value (at most 64
   * KiB of JSON) reaches the callbacks as `metadata`.
   */
  readonly middleware: Middleware<Native, Schema, ErrorData, IsAwaited>
  readonly input: Misplaced<"The route has an .input() already.">
}

/** A route as `f(config)` begins it. */
export interface RouteStart<Native extends object, ErrorData, IsAwaited> extends Unfinished {
  /**
   * Ends the route. The function runs after each file has arrived, at least once: deduplicate by `delivery.id`. The
   * browser gets its return value.
   */
  readonly onUploadComplete: OnUploadComplete<Native, undefined, Empty, ErrorData, IsAwaited>
  /** The function runs when the upload of a file has failed for good, with the `error` and the metadata. */
  readonly onUploadError: OnUploadError<Native, undefined, Empty, ErrorData, IsAwaited>
  /** The function decides the name, custom id, key seed, ACL and disposition of each file before it is uploaded. */
  readonly file: DecideFile<Native, undefined, Empty, Empty, ErrorData, IsAwaited>
  /**
   * The function runs before an upload is allowed: throw an `UploadError` to refuse it; its return value (at most 64
   * KiB of JSON) reaches the callbacks as `metadata`.
   */
  readonly middleware: Middleware<Native, undefined, ErrorData, IsAwaited>
  /** The input that the client sends along: any Standard Schema (zod, valibot, arktype, effect, …). */
  readonly input: <Schema extends StandardSchema>(
    schema: Schema,
  ) => RouteWithInput<Native, Schema, ErrorData, IsAwaited>
}

/** Begins a file route: which files it takes, how it behaves. */
export type RouteBuilder<Native extends object, ErrorData> = <IsAwaited extends boolean = boolean>(
  config: RouteConfigInput,
  options?: RouteOptions<IsAwaited>,
) => RouteStart<Native, ErrorData, IsAwaited>
