import type { RouteInput, TypedFileRouter } from "../client.ts"
import type { StoredFile } from "../protocol.ts"

/** A file that has arrived at the mock; `slug` tells which route's `input` it came with. */
export type UploadedFile<Router extends TypedFileRouter> = {
  readonly [Slug in keyof Router & string]: StoredFile & {
    readonly slug: Slug
    /** What the client sent along. */
    readonly input: RouteInput<Router[Slug]>
    readonly bytes: Uint8Array
  }
}[keyof Router & string]
