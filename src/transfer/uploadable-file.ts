/**
 * Bytes to send: a Blob of the runtime, a stream, or React Native's name for a file on the device.
 *
 * A Blob's type says less than `Blob`, because Node's declarations and the DOM's do not agree.
 */
export type UploadBody = Pick<Blob, "size" | "type"> | ReadableStream<Uint8Array> | { readonly uri: string }

/**
 * What the client needs of a file: a `File` of the browser, Node, Bun or Deno fits, and so does any `Blob` with a
 * name. For others see `fileFromPath`, `fileFromStream` and `fileFromUri`.
 *
 * Units: `size` in bytes, `lastModified` in ms since the epoch.
 */
export interface UploadableFile {
  readonly name: string
  readonly size: number
  /** Media type; may be empty. */
  readonly type: string
  readonly lastModified?: number | undefined
  /** Where it was in a chosen folder: `holiday/2024/a.jpg`. Sent as the file's `path`; empty where there is none. */
  readonly webkitRelativePath?: string | undefined
  /** The bytes from `start` to the end, read only when they are sent; called once for every attempt. */
  slice(start: number): UploadBody | Promise<UploadBody>
}
