import type { Json } from "./json.ts"
import type { RouteConfig } from "./route-config.ts"

/** A file before it is uploaded. `size` in bytes, `lastModified` in ms since the epoch. */
export interface FileDescriptor {
  readonly name: string
  readonly size: number
  /** Media type; may be empty, the handler then looks it up by the name's extension. */
  readonly type: string
  readonly lastModified?: number | undefined
}

/** Body of `POST ?actionType=upload&slug=S`. Source: docs/protocol.md §5. */
export interface UploadRequest {
  readonly files: ReadonlyArray<FileDescriptor>
  readonly input?: Json | undefined
}

/** Body of `POST ?actionType=renew&slug=S`. Source: docs/protocol.md §5. */
export interface RenewRequest {
  readonly urls: ReadonlyArray<string>
  readonly input?: Json | undefined
}

/** One element of the answer to upload and renew, in request order. Source: docs/protocol.md §5. */
export interface PresignedUpload {
  readonly key: string
  /** The signed upload URL. Never log it. */
  readonly url: string
  readonly name: string
  readonly customId: string | null
}

/** One element of the handler's GET answer, in router order. Source: docs/protocol.md §5. */
export interface RouteDescription<Slug extends string = string> {
  readonly slug: Slug
  readonly config: RouteConfig
}

/** Body of `POST {ingest}/route-metadata`. Source: docs/protocol.md §6. */
export interface Registration {
  readonly fileKeys: ReadonlyArray<string>
  /** At most 64 KiB as JSON. */
  readonly metadata: Json
  readonly callbackUrl: string
  readonly callbackSlug: string
  readonly awaitServerData?: boolean | undefined
  readonly isDev?: boolean | undefined
}

/** The answer to most calls of the ingest. */
export interface Ok {
  readonly ok: true
}

/** Which of the two callbacks a body is, the value of the hook header. */
export type Hook = "callback" | "error"

/** One line of the development stream. Source: docs/protocol.md §7. */
export interface DevStreamEvent {
  /** A {@link CallbackEvent} or {@link ErrorEvent} as the string that was signed. */
  readonly payload: string
  readonly signature: string
  readonly hook: string
  /** Of the trace the registration came with. */
  readonly traceparent?: string | undefined
}

/** A file that has arrived. */
export interface StoredFile {
  readonly key: string
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly type: string
  readonly customId: string | null
  /** Where the file can be read. */
  readonly url: string
  /** SHA-256 of the content, 64 lower-case hex digits. */
  readonly fileHash: string
  /** ms since the epoch. */
  readonly uploadedAt: number
}

interface EventBase {
  /** `evt_…`, the same over all attempts. */
  readonly id: string
  /** Of this attempt, ms since the epoch. */
  readonly sentAt: number
  /** From 1. */
  readonly attempt: number
  /** The ingest's public URL. */
  readonly origin: string
  readonly metadata: Json
}

/** Body of a callback with `sluice-hook: callback`. Source: docs/protocol.md §8. */
export interface CallbackEvent extends EventBase {
  readonly status: "uploaded"
  readonly file: StoredFile
}

/** Body of a callback with `sluice-hook: error`. Source: docs/protocol.md §8. */
export interface ErrorEvent extends EventBase {
  readonly status: "failed"
  readonly fileKey: string
  /** `code` is a ProblemCode, or one of a newer ingest. */
  readonly error: { readonly code: string; readonly message: string }
}

/** Body of `POST {origin}/callback-result`. Source: docs/protocol.md §9. */
export type CallbackResult =
  { readonly fileKey: string; readonly callbackData: Json } | { readonly fileKey: string; readonly error: string }

/** The answer to a PUT that completed a file. `serverData` is null when the route does not await it. Source: docs/protocol.md §10. */
export interface UploadResult extends StoredFile {
  readonly serverData: Json
}
