/** What a store can promise. A missing ability is stated, never silent. */
export interface BlobStoreAbilities {
  /** What {@link BlobStore.append} has resolved with survives a crash of process and machine. */
  readonly isDurable: boolean
  /**
   * All durable bytes of a blob can be read before it is finished. Otherwise they can as long as there are at most
   * {@link readableBeginning} of them, which is what the ingest needs to judge a file by its first bytes.
   */
  readonly readsUnfinished: boolean
}

/** How much of a blob every store can read before it is finished, bytes. Source: docs/protocol.md §6, the checked beginning. */
export const readableBeginning = 4100

/** Bytes to add to a blob. */
export interface Append {
  /** As granted by the catalog. The store refuses it once it has seen a newer one. */
  readonly epoch: number
  /** Where the bytes begin: the size that {@link BlobStore.claim} reported, or 0 for an unknown key. */
  readonly offset: number
  /** The size of the whole blob, as it was announced: the same for every append of a blob. The body may end before it. */
  readonly size: number
  /** The bytes, in order. A driver pulls the next chunk only when it can take it. */
  readonly body: AsyncIterable<Uint8Array>
  /** {@link BlobStore.finish} will ask for the digest: a driver may hash while it writes. */
  readonly isHashed?: boolean | undefined
  /** The driver owns the chunks' memory and may free it once it was used (`disposeChunk` of the protocol). */
  readonly isDisposable?: boolean | undefined
}

/** The outcome of an append. */
export interface Appended {
  /** Where the stored bytes end now. What lies before is durable, and can be resumed from. */
  readonly offset: number
  /** Why the body broke off, if it did. The bytes before are stored all the same. */
  readonly brokenOff?: { readonly cause: unknown } | undefined
}

/** Where a blob ends, as {@link BlobStore.claim} found it. */
export interface BlobState {
  /** Stored bytes. */
  readonly size: number
  /** Whether {@link BlobStore.finish} has run. */
  readonly isFinished: boolean
  /** Parts of it were sent past the ingest, see {@link BlobStore.grantParts}: nobody has hashed them. */
  readonly isDirect?: boolean | undefined
}

/** A part that a client means to send past the ingest. Parts of a blob are counted from 1. */
export interface DirectPart {
  readonly number: number
  /** SHA-256 of its bytes, 64 lower-case hex digits. */
  readonly sha256: string
}

/** A request that stores one part, for whoever has it. */
export interface DirectUpload {
  readonly number: number
  /** Takes the part's bytes by PUT, and no others. */
  readonly url: string
  /** To be sent with it. */
  readonly headers: Readonly<Record<string, string>>
  /** ms since the epoch. */
  readonly expires: number
}

/** What a store grants; `refused` says to an operator why it grants nothing. */
export type GrantedParts =
  | {
      readonly kind: "granted"
      /** Bytes of each part but the last one. */
      readonly partSize: number
      /** Numbers of the parts that are stored, first and last of each run, in order. */
      readonly stored: ReadonlyArray<readonly [first: number, last: number]>
      readonly uploads: ReadonlyArray<DirectUpload>
    }
  | { readonly kind: "refused"; readonly why: string }

/** What {@link BlobStore.finish} gives. */
export interface Finished {
  /** SHA-256 of all bytes, 64 lower-case hex digits; empty where it was not asked for. */
  readonly digest: string
  /**
   * What the store wants to be told when these bytes are read, at most 64 characters; null where the key says enough. The
   * catalog keeps it with the file.
   */
  readonly ref: string | null
}

/** A URL that is asked for by {@link BlobStore.urlOf}. */
export interface BlobUrlRequest {
  /** What {@link BlobStore.finish} gave. */
  readonly ref: string | null
  /** The moment that it is made as of, ms since the epoch, a little ago: the same request with the same moment gives the same URL. */
  readonly at: number
  /** What time it is by the same clock, which need not be this machine's. */
  readonly now: number
  /** How long it is good from then on, s. */
  readonly expiresIn: number
  /** The headers of its answers: `content-type`. */
  readonly type: string
  /** `content-disposition`, ASCII alone. */
  readonly disposition: string
  /** `cache-control`. */
  readonly cacheControl: string
}

/** A URL by which whoever has it reads a blob. */
export interface BlobUrl {
  readonly url: string
  /** When it ends: as asked for, or sooner. Ms since the epoch. */
  readonly expiresAt: number
}

/**
 * Keeps the bytes of files. It knows nothing of apps, names or states.
 *
 * Each key has one blob, written front to back by one writer at a time. A writer proves itself by its epoch, a number
 * that the catalog grants and only ever raises: a call with an older epoch than the newest one seen fails with reason
 * `fenced` and changes nothing.
 *
 * Units:  offsets and sizes in bytes.
 * Fails:  rejects with {@link BlobStoreError}.
 */
export interface BlobStore {
  readonly abilities: BlobStoreAbilities
  /** Takes the blob over: fences off all older epochs and returns where the durable bytes end. Unknown keys are empty. */
  readonly claim: (key: string, epoch: number) => Promise<BlobState>
  /**
   * Adds bytes at the end. Resolves when they are durable, and also when the body breaks off, with what was stored by
   * then.
   */
  readonly append: (key: string, append: Append) => Promise<Appended>
  /**
   * Makes the blob final, with exactly `size` bytes. Repeating it changes nothing, and gives the same.
   *
   * `isHashed`: whether the digest is asked for.
   */
  readonly finish: (
    key: string,
    finish: { readonly epoch: number; readonly size: number; readonly isHashed?: boolean | undefined },
  ) => Promise<Finished>
  /**
   * Bytes `start` to `end`, both included, of a blob; none where `end` is `start - 1`. The reader owns the chunks.
   *
   * `ref`: what `finish` gave; null or absent for a blob that is not finished, see {@link BlobStoreAbilities}.
   *
   * Fails: `missing`, at once or while it is read.
   */
  readonly read: (
    key: string,
    range: { readonly start: number; readonly end: number; readonly ref?: string | null | undefined },
  ) => Promise<ReadableStream<Uint8Array>>
  /**
   * Lets a client send parts of the blob past the ingest. Blobs that have been granted parts end, as `claim` says, with the
   * parts that have no gap before them, whoever has sent them. Absent in a store that no client can reach.
   *
   * `until`: when the URLs may end at the latest, ms since the epoch; `now`: what time it is by the same clock, which need not be
   * this machine's. `expires` of what is granted is by it as well.
   */
  readonly grantParts?: (
    key: string,
    grant: {
      readonly epoch: number
      readonly size: number
      readonly parts: ReadonlyArray<DirectPart>
      readonly until: number
      readonly now: number
    },
  ) => Promise<GrantedParts>
  /**
   * A URL at which the store itself sends a finished blob, by GET and with ranges, to whoever has it; null where this one has
   * none. It need not find out whether the blob is there. Absent in a store that cannot: the ingest then sends all bytes itself.
   */
  readonly urlOf?: (key: string, request: BlobUrlRequest) => Promise<BlobUrl | null>
  /**
   * Removes the blob, finished or not. Removing one that does not exist changes nothing.
   *
   * `lastEpoch`: no writer was given a newer epoch than this; absent where the caller does not know. A store whose writers live in several
   * processes may have to look once more for what a late one leaves; where there was only one, it need not.
   */
  readonly remove: (key: string, known?: { readonly lastEpoch?: number | undefined }) => Promise<void>
  /** Rejects where no bytes could be stored now. It is asked at most once a second, and leaves nothing behind. */
  readonly probe: () => Promise<void>
  /** Bytes that are free where new blobs go. Absent where there is no such limit, or no way to know it. */
  readonly free?: () => Promise<number>
  /** Releases what the driver holds open. */
  readonly close: () => Promise<void>
}

/** Why a store refused or failed. */
export type BlobStoreReason =
  /** A newer epoch was seen. */
  | "fenced"
  /** The bytes would not continue where the stored ones end, or the size is not the announced one. */
  | "offset"
  /** There is no such blob, or not that many bytes of it. */
  | "missing"
  /** No room is left. */
  | "full"
  /** Anything else; see `cause`. */
  | "io"

/**
 * The contract of {@link BlobStore} by name and version. A version of the package speaks one; the number rises when a
 * driver that fulfils it today would not tomorrow.
 */
export const blobStoreContract = "blob-store/2"

/** What a store may know of the ingest that opens it. */
export interface BlobStoreOpening {
  /**
   * The data folder of the ingest, absolute: it exists, and no other ingest runs on it. A store may keep what it has in a
   * folder of its own below it.
   */
  readonly data: string
}

/** What a module has as its default export whose store `sluice ingest --store` opens. */
export interface BlobStoreDriver {
  /** The contract that it was written for. */
  readonly contract: typeof blobStoreContract
  /**
   * Opens the store. Called once, before the ingest takes its first upload; the ingest closes the store when it stops.
   *
   * Fails: throws or rejects, with an error whose message says to an operator what is wrong. The ingest does not start then.
   */
  readonly open: (opening: BlobStoreOpening) => BlobStore | Promise<BlobStore>
}

/** How a {@link BlobStore} fails. */
export class BlobStoreError extends Error {
  override readonly name = "BlobStoreError"
  readonly reason: BlobStoreReason
  constructor(reason: BlobStoreReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
  /** True for any copy of the class: a driver may be installed beside a copy of its own. */
  static is(value: unknown): value is BlobStoreError {
    return value instanceof Error && value.name === "BlobStoreError" && "reason" in value
  }
  /** Whether the same call may succeed later. */
  get isRetryable(): boolean {
    return this.reason === "full" || this.reason === "io"
  }
}
