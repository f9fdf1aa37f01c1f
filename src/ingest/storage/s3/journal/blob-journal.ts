/** Where parts are collected. */
export interface MultipartUpload {
  readonly id: string
  /** The `ref` of the blob once they are one object: the epoch that began it, whoever goes on. */
  readonly ref: string
  /** Bytes of the whole blob, where clients may send parts of it past this package: then the bucket knows which it has. */
  readonly directSize?: number | undefined
}

/** What is durable of a blob that is not finished. Sizes and offsets in bytes. */
export interface JournaledBlob {
  /** The newest epoch that was seen. */
  readonly epoch: number
  /** The multipart upload, and what the finished blob will be called; null where there is none. */
  readonly upload: MultipartUpload | null
  /** ETags of parts 1, 2, …: none is missing before the last one. */
  readonly etags: ReadonlyArray<string>
  /** Where the durable bytes end: those of the parts, then those of the tail. */
  readonly offset: number
  /** Name of the object with the bytes after the parts; null where there are none. */
  readonly tail: string | null
  /** Whether the parts were about to be made one object: only the bucket knows whether they are. */
  readonly isFinishing: boolean
  /** The state of a SHA-256 of the bytes of the parts; null where nobody has kept it. */
  readonly hash: Uint8Array | null
}

/** What changes of a {@link JournaledBlob}; what is left out stays. */
export interface JournalChange {
  readonly upload?: MultipartUpload | null | undefined
  /** How many of the parts are kept before new ones are added; all by default. */
  readonly keep?: number | undefined
  /** ETags of the parts after those that are kept. */
  readonly add?: ReadonlyArray<string> | undefined
  readonly offset?: number | undefined
  readonly tail?: string | null | undefined
  readonly isFinishing?: boolean | undefined
  /** Left out, it stays as long as the parts do. */
  readonly hash?: Uint8Array | null | undefined
}

/** A blob that is to be removed again. */
export interface LateRemoval {
  readonly key: string
  /** When, ms since the epoch, by the journal's clock. */
  readonly at: number
}

/**
 * Remembers how far the blobs of a bucket are that are not finished: one row a blob. It may lag behind the bucket, and
 * never leads.
 *
 * Each call is atomic, and durable when it has resolved. A call with an older epoch than the newest one seen changes nothing.
 */
export interface BlobJournal {
  /** Whether what a call has resolved with survives a crash of process and machine. */
  readonly isDurable: boolean
  readonly read: (key: string) => Promise<JournaledBlob | undefined>
  /** Raises the epoch; undefined where a newer one was seen. A key never seen is a blob of which nothing is durable. */
  readonly claim: (key: string, epoch: number) => Promise<JournaledBlob | undefined>
  /**
   * Changes a blob that was claimed, and sets its epoch; false where a newer one was seen, and where the blob was forgotten
   * since: a newer writer has finished or removed it then, and what an older one says of it must not come back.
   */
  readonly write: (key: string, epoch: number, change: JournalChange) => Promise<boolean>
  /** Forgets a blob; false where a newer epoch was seen. Without an epoch, whatever was seen. */
  readonly forget: (key: string, epoch?: number) => Promise<boolean>
  /** ms since the epoch, by the one clock that all processes have which share the journal. */
  readonly now: () => Promise<number>
  /** Notes that a blob is to be removed again: what a writer had under way may arrive later. In the place of an earlier note. */
  readonly noteRemoval: (removal: LateRemoval) => Promise<void>
  /** Those that are due, the earliest first, at most so many. */
  readonly listRemovals: (now: number, limit: number) => Promise<ReadonlyArray<LateRemoval>>
  readonly forgetRemoval: (key: string) => Promise<void>
  readonly close: () => Promise<void>
}

/** A blob of which nothing is durable. */
export const toEmptyBlob = (epoch: number): JournaledBlob => ({
  epoch,
  upload: null,
  etags: [],
  offset: 0,
  tail: null,
  isFinishing: false,
  hash: null,
})

/** The state of the hash after a change: it is one of the parts, so it goes with them. */
export const hashAfter = (before: Uint8Array | null, parts: number, { hash, keep, add = [] }: JournalChange) => {
  if (hash !== undefined) return hash
  return add.length > 0 || (keep !== undefined && keep < parts) ? null : before
}

/** A blob after a change. */
export const applyChange = (blob: JournaledBlob, epoch: number, change: JournalChange): JournaledBlob => {
  const { keep = blob.etags.length, add = [] } = change
  return {
    epoch,
    upload: change.upload === undefined ? blob.upload : change.upload,
    etags: [...blob.etags.slice(0, keep), ...add],
    offset: change.offset ?? blob.offset,
    tail: change.tail === undefined ? blob.tail : change.tail,
    isFinishing: change.isFinishing ?? blob.isFinishing,
    hash: hashAfter(blob.hash, blob.etags.length, change),
  }
}
