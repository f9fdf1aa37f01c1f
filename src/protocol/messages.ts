import type { Json } from "./json.ts"
import type { RouteConfig } from "./files/route-config.ts"

/** A file before it is uploaded. `size` in bytes, `lastModified` in ms since the epoch. */
export interface FileDescriptor {
  readonly name: string
  readonly size: number
  /** Media type; if it is empty, the handler looks it up by the name's extension. */
  readonly type: string
  readonly lastModified?: number | undefined
  /** Where it was in the folder that was chosen or dropped: `holiday/2024/a.jpg`. Absent for a file that was chosen by itself. */
  readonly path?: string | undefined
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
  /** The file is held for a verdict once it has arrived. Only in the answer to upload. */
  readonly isHeld?: boolean | undefined
}

/** Body of `POST {signed URL}` of a direct upload. Source: docs/protocol.md §10. */
export interface DirectQuestion {
  /** At most 100. Parts are counted from 1; `sha256` in lower-case hex, of the part's bytes. */
  readonly parts: ReadonlyArray<{ readonly number: number; readonly sha256: string }>
}

/** The answer to it. Source: docs/protocol.md §10. */
export type DirectAnswer =
  | { readonly transport: "ingest" }
  | {
      readonly transport: "direct"
      /** Bytes of each part but the last one. */
      readonly partSize: number
      /** Numbers of the parts that are stored, first and last of each run. */
      readonly stored: ReadonlyArray<readonly [first: number, last: number]>
      readonly uploads: ReadonlyArray<{
        readonly number: number
        /** Takes the part by PUT. Never log it. */
        readonly url: string
        readonly headers: Readonly<Record<string, string>>
        /** ms since the epoch. */
        readonly expires: number
      }>
    }

/** One element of the handler's GET answer, in router order. Source: docs/protocol.md §5. */
export interface RouteDescription<Slug extends string = string> {
  readonly slug: Slug
  readonly config: RouteConfig
}

/** Body of `POST {ingest}/route-metadata`. Source: docs/protocol.md §6. */
export interface Registration {
  /** Id of the upload action, as its URLs say it: 1 to 64 URL-safe characters. Absent where they do not. */
  readonly id?: string | undefined
  readonly fileKeys: ReadonlyArray<string>
  /** When this was sent, by the app's clock: ms since the epoch. */
  readonly sentAt?: number | undefined
  /** Until when the newest URL of these files is valid, ms since the epoch. */
  readonly expires?: number | undefined
  /** At most 64 KiB as JSON. */
  readonly metadata: Json
  readonly callbackUrl: string
  readonly callbackSlug: string
  readonly awaitServerData?: boolean | undefined
  readonly isDev?: boolean | undefined
}

/** What an app seals into the URLs of an upload action, in the place of a {@link Registration}. Source: docs/protocol.md §4. */
export interface SealedRegistration {
  /** At most 64 KiB as JSON. */
  readonly metadata: Json
  readonly callbackUrl: string
  /** By default the slug of the URL. */
  readonly callbackSlug?: string | undefined
  readonly awaitServerData?: boolean | undefined
  /** Of the request that asked for the URLs. */
  readonly traceparent?: string | undefined
  readonly tracestate?: string | undefined
}

/** Body of `POST {ingest}/route-registrations`. Source: docs/protocol.md §6. */
export interface RegistrationQuery {
  /** Files as their URLs name them: `id` is that of the registration. */
  readonly files: ReadonlyArray<{ readonly key: string; readonly id?: string | undefined }>
}

/** The answer to a {@link RegistrationQuery}. */
export interface FoundRegistrations {
  readonly registrations: ReadonlyArray<{ readonly metadata: Json }>
  /** For each file asked about, in order, the index of its registration. */
  readonly files: ReadonlyArray<number>
}

/** The answer to most calls of the ingest. */
export interface Ok {
  readonly ok: true
}

/** Which of the two callbacks a body is, the value of the hook header. */
export type Hook = "callback" | "error"

/**
 * What `sluice doctor` sends to an app with the hook `check`, signed with the app's key; `sentAt` in ms since the
 * epoch.
 *
 * Source: docs/protocol.md §8.
 */
export interface CheckRequest {
  readonly status: "check"
  readonly sentAt: number
  readonly slug: string
}

/** What an app answers to a {@link CheckRequest}. */
export interface CheckAnswer {
  /** Where callbacks would go for an upload that came the same way as this request. */
  readonly callbackUrl: string
  /** Why such an upload is refused; null where it is not. */
  readonly refusal: string | null
  /** Whether the app is in development, where nothing is sent to the callback URL. */
  readonly isDev: boolean
  /** Where the app's uploads go. Absent in the answer of an older version. */
  readonly ingestUrl?: string | undefined
}

/** One line of the development stream. Source: docs/protocol.md §7. */
export interface DevStreamEvent {
  /** A {@link CallbackEvent} or {@link ErrorEvent} as the string that was signed. */
  readonly payload: string
  readonly signature: string
  readonly hook: string
  /** The trace that the registration came with. */
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

/** A file that did not arrive, or was rejected, as its upload announced it. */
export interface FailedFile {
  readonly key: string
  /** Under which it would have been stored. */
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly type: string
  readonly customId: string | null
}

/** What all events of files have. */
export interface EventBase {
  /** `evt_…`, the same over all attempts. */
  readonly id: string
  /** Of this attempt, ms since the epoch. */
  readonly sentAt: number
  /** From 1. */
  readonly attempt: number
  /** The ingest's public URL. */
  readonly origin: string
  /** The file route it is for: signed, so that it is valid for no other. */
  readonly slug: string
  readonly metadata: Json
  /** Absent in the events of an older ingest. */
  readonly labels?: OwnLabels | undefined
}

/** What the app said of a file for itself, when it allowed the upload. No browser can read it. */
export interface OwnLabels {
  readonly owner: string | null
  readonly path: string | null
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
  /** Absent in the events of an older ingest. */
  readonly file?: FailedFile | undefined
  /** `code` is a ProblemCode, or one of a newer ingest. */
  readonly error: { readonly code: string; readonly message: string }
}

/** Body of `POST {origin}/callback-result`. Source: docs/protocol.md §9. */
export type CallbackResult = {
  readonly fileKey: string
  /** Id of the event that this is the result of; without it, the event of the file that now has the key. */
  readonly eventId?: string | undefined
  /** Which attempt of that event this is the result of; without it, the newest. An error of an older one changes nothing. */
  readonly attempt?: number | undefined
} & ({ readonly callbackData: Json } | { readonly error: string })

/** The answer to a PUT that completed a file. `serverData` is null when the route does not await it. Source: docs/protocol.md §10. */
export interface UploadResult extends StoredFile {
  readonly serverData: Json
  /** The file is stored, and still waits for a verdict. */
  readonly isHeld?: boolean | undefined
}
