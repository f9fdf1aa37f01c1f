import type { RemoteVersion } from "./remote-file.ts"

/** Where the bytes of a download go, in order. */
export interface Sink {
  /** How many there are. */
  readonly offset: () => number
  readonly write: (bytes: Uint8Array) => Promise<void>
  /** Begins anew, with another version of the file. Fails: with a `CommandFailure` where what was written cannot be taken back. */
  readonly restart: (version: RemoteVersion) => Promise<void>
  /** The SHA-256 of what is there, 64 hex digits. */
  readonly digest: () => string
  /** Removes what is there, where that is possible. */
  readonly discard: () => Promise<void>
}
