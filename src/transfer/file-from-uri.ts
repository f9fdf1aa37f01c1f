import type { UploadableFile } from "./uploadable-file.ts"

/** A file as React Native's pickers return it. */
export interface UriFileOptions {
  /** `file://…`, `content://…`; anything the runtime's `fetch` reads. */
  readonly uri: string
  readonly name: string
  /** Media type; empty by default. */
  readonly type?: string | undefined
  /** Bytes. Without it, the file is opened once to find out. */
  readonly size?: number | undefined
}

/**
 * Makes a file that can be uploaded from a file of React Native.
 *
 * The system itself reads and sends it; it is opened as a Blob only to send the rest after a connection broke. In
 * browsers, where `uri` is a `blob:` or `data:` URL, it is a Blob from the start.
 *
 * Fails: rejects with `fetch`'s error for a `uri` that cannot be read.
 */
export const fileFromUri = async ({ uri, name, type = "", size }: UriFileOptions): Promise<UploadableFile> => {
  const read = async () => (await fetch(uri)).blob()
  return {
    name,
    type,
    size: size ?? (await read()).size,
    slice: async (start) =>
      start === 0 && globalThis.navigator?.product === "ReactNative" ? { uri } : (await read()).slice(start),
  }
}
