import type { UploadableFile } from "./uploadable-file.ts"

/** A file as React Native's pickers give it. */
export interface UriFileOptions {
  /** `file://…`, `content://…`; anything the runtime's `fetch` reads. */
  readonly uri: string
  readonly name: string
  /** Media type; empty unless given. */
  readonly type?: string | undefined
  /** Bytes. Unless given, the file is opened once to find out. */
  readonly size?: number | undefined
}

/**
 * Makes something that is uploaded out of a file of React Native.
 *
 * The system itself reads and sends it; only what is sent again after a connection broke is opened as a Blob, to cut
 * off what has arrived. In browsers, where `uri` is a `blob:` or `data:` URL, it is a Blob from the start.
 *
 * Fails: rejects with what `fetch` says of a `uri` that cannot be read.
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
