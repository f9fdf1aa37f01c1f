import type { Json } from "../json.ts"
import { helpPage } from "../names.ts"
import { type ProblemCode, problemStatuses } from "./problem-code.ts"
import { uploadErrorBrand } from "./upload-error-brand.ts"

/** The parts of an {@link UploadError}. */
export interface UploadErrorOptions {
  readonly code: ProblemCode
  /** What happened, to which file, and what to do. Sent to the browser as `detail`. */
  readonly message: string
  /** Overrides the status of the code, 400–599. */
  readonly status?: number | undefined
  /** The output of the route's error formatter, or any JSON that the browser should see. */
  readonly data?: Json | undefined
  /** Stays on the server; never sent. */
  readonly cause?: unknown
}

/**
 * The one error class users meet, on the server and in the browser.
 *
 * Thrown in middleware it refuses the upload with this code, status and message. Any other thrown value becomes an
 * opaque `ROUTE_FAILED`, which clients do not retry. `new UploadError("Sign in first")` means `FORBIDDEN`.
 *
 * Recognise it by `UploadError.is(error)`: `instanceof` is false for one that another entry of the package has made.
 *
 * Source: docs/protocol.md §11.
 */
export class UploadError extends Error {
  readonly [uploadErrorBrand] = true
  /** The kind of error, for programs; stable. */
  declare readonly code: ProblemCode
  /** The HTTP status that it came with, or would be answered with; 0 where it is never sent. */
  declare readonly status: number
  /** The output of the route's error formatter. */
  declare readonly data: Json | undefined

  constructor(init: string | UploadErrorOptions) {
    const options: UploadErrorOptions = typeof init === "string" ? { code: "FORBIDDEN", message: init } : init
    super(options.message, options)
    this.name = "UploadError"
    this.code = options.code
    this.status = options.status ?? problemStatuses[options.code]
    this.data = options.data
  }

  /** The message, by its name in a problem document. */
  get detail(): string {
    return this.message
  }

  /** Where the package explains this code, and what to do: a path from the app's folder, and the heading. */
  get help(): string {
    return helpPage + this.code.toLowerCase()
  }

  /** True for any copy of the class: several may be bundled side by side. */
  static is(value: unknown): value is UploadError {
    return value instanceof Error && uploadErrorBrand in value
  }
}
