/**
 * What the client needs of a file: a `File` of the browser, Node, Bun or Deno fits, and so does any `Blob` with a name.
 *
 * `slice` must give a Blob of the runtime; its type says less because Node's declarations and the DOM's do not agree.
 * Units: `size` in bytes, `lastModified` in ms since the epoch.
 */
export interface UploadableFile {
  readonly name: string
  readonly size: number
  /** Media type; may be empty. */
  readonly type: string
  readonly lastModified?: number
  /** The bytes from `start` to the end, read only when they are sent. */
  slice(start: number): Pick<Blob, "size" | "type">
}
