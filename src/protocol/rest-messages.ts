import type { ProblemCode } from "./errors/problem-code.ts"
import type { Acl } from "./signing/signed-url.ts"

/**
 * The state of a file in its life cycle.
 *
 * `Uploading → Uploaded → (Deleting → gone)`, `Uploading → Pending → Uploaded | (Deleting → gone)`,
 * `Uploading → Failed`. Source: docs/protocol.md §10.
 */
export type FileStatus = "Uploading" | "Held" | "Pending" | "Uploaded" | "Deleting" | "Failed"

/** All of them, in the order of a file's life. */
export const fileStatuses: ReadonlyArray<FileStatus> = [
  "Uploading",
  "Held",
  "Pending",
  "Uploaded",
  "Deleting",
  "Failed",
]

/** A file by its key, or by the custom id that its app gave it. */
export type FileReference = { readonly fileKey: string } | { readonly customId: string }

/** Body of `POST /v6/listFiles`: one page, newest first. Without `cursor` and `offset` it is the first one. */
export interface ListFilesRequest {
  /** 1–1000; by default 500. */
  readonly limit?: number
  /** How many files to skip; costs as much as reading them. Cannot be combined with `cursor`. */
  readonly offset?: number
  /** `nextCursor` of the previous page; every page costs the same. */
  readonly cursor?: string
  /** Only files with this status. */
  readonly status?: FileStatus
  /** Only this owner's. */
  readonly owner?: string
  /** Only files whose path begins with it, in the order of their paths. Cannot be combined with `offset`. */
  readonly prefix?: string
  /** Only what is right in the folder `prefix`, or at the top without one: its files, and its folders. Not with `offset`. */
  readonly folders?: boolean
}

/** A file as the REST API lists it. */
export interface ListedFile {
  /** Grows with every new file; never reused. */
  readonly id: string
  readonly key: string
  readonly customId: string | null
  readonly name: string
  /** Bytes. */
  readonly size: number
  readonly type: string
  readonly status: FileStatus
  /** The ACL in effect: the app's default if the file has none of its own. */
  readonly acl: Acl
  /** ms since the epoch; null until the file has arrived. */
  readonly uploadedAt: number | null
  /** Whose it is, as the app says. */
  readonly owner: string | null
  /** Where the app files it. */
  readonly path: string | null
  /** When it expires, ms since the epoch; null: never. */
  readonly expiresAt: number | null
  /** Until when it has to be claimed, ms since the epoch; null where it is not `Pending`. */
  readonly claimBy: number | null
  /** Why it is `Failed`, else null; absent in the answer of an older ingest. */
  readonly error?: FileError | null
}

/** Why a file is `Failed`. */
export interface FileError {
  readonly code: ProblemCode
  readonly message: string
  /** ms since the epoch. */
  readonly at: number
}

/** Answer of `listFiles`. */
export interface FilePage {
  readonly hasMore: boolean
  /** `cursor` of the next page; null after the last one. */
  readonly nextCursor: string | null
  readonly files: ReadonlyArray<ListedFile>
  /** The paths of the folders on the page, each with the slash at its end, where they were asked for. */
  readonly folders?: ReadonlyArray<string>
}

/** Whose the named files must be. Others are treated as files that do not exist. */
export interface OfOwner {
  readonly owner?: string
}

/** Body of `POST /v6/getFiles`: at most 1,000 files, in any state. */
export interface GetFilesRequest extends OfOwner {
  readonly fileKeys: ReadonlyArray<string>
}

/** Answer of `getFiles`: in the order of the keys, without those that do not exist (any more). */
export interface FoundFiles {
  readonly files: ReadonlyArray<ListedFile>
}

/** Files by what their app says of them: those of an owner, those whose path begins with a prefix, or what is both. */
export type FileSelection =
  { readonly owner: string; readonly prefix?: string } | { readonly owner?: string; readonly prefix: string }

/**
 * Body of `POST /v6/deleteFiles`: at most 1,000 files, of which a custom id means all that have it; or any number, by what
 * their app says of them.
 */
export type DeleteFilesRequest =
  | ({ readonly fileKeys: ReadonlyArray<string> } & OfOwner)
  | ({ readonly customIds: ReadonlyArray<string> } & OfOwner)
  | FileSelection

/** Answer of `deleteFiles`; files that do not exist (any more) are ignored. */
export interface DeletedFiles {
  readonly success: true
  readonly deletedCount: number
  /** The keys of the files that were there and are deleted now; missing in the answer of an older ingest. */
  readonly deletedKeys?: ReadonlyArray<string>
}

/** Answer of `deleteFiles` by owner or prefix. From then on nobody reads any of the files. */
export interface DeletedSelection {
  readonly success: true
  /** How many files the ingest has marked so far. */
  readonly deletedCount: number
  /** The deletion's id in `listDeletions`. */
  readonly deletionId: string
  /** Whether these are all. Otherwise the ingest goes on by itself. */
  readonly isDone: boolean
}

/** A deletion of many files. */
export interface Deletion {
  readonly id: string
  readonly owner: string | null
  readonly prefix: string | null
  /** ms since the epoch. */
  readonly askedAt: number
  /** When the last file was marked, ms since the epoch; null: the ingest is not done. */
  readonly doneAt: number | null
  readonly deletedCount: number
}

/** Body of `POST /v6/listDeletions`. */
export interface ListDeletionsRequest {
  /** 1–1000; by default 500. */
  readonly limit?: number
}

/** Answer of `listDeletions`: newest first. */
export interface Deletions {
  readonly deletions: ReadonlyArray<Deletion>
}

/** Body of `POST /v6/renameFiles`: at most 1,000 files that are `Uploaded`. A custom id means all files that have it. */
export interface RenameFilesRequest extends OfOwner {
  readonly updates: ReadonlyArray<FileReference & { readonly newName: string }>
}

/** Answer of `renameFiles`. */
export interface RenamedFiles {
  readonly success: true
  readonly renamedCount: number
}

/** Body of `POST /v6/updateACL`: at most 1,000 files that are `Uploaded`. A custom id means all files that have it. */
export interface UpdateAclRequest extends OfOwner {
  readonly updates: ReadonlyArray<FileReference & { readonly acl: Acl }>
}

/** Answer of `updateACL`. */
export interface UpdatedAcls {
  readonly success: true
  readonly updatedCount: number
}

/** Body of `POST /v6/moveFiles`: at most 1,000 files that are stored. A custom id means all files that have it. */
export interface MoveFilesRequest extends OfOwner {
  readonly updates: ReadonlyArray<FileReference & { readonly path: string | null }>
}

/** Answer of `moveFiles`. */
export interface MovedFiles {
  readonly success: true
  readonly movedCount: number
}

/** Body of `POST /v6/updateFiles`: at most 1,000 files that are stored. A custom id means all files that have it. */
export interface UpdateFilesRequest extends OfOwner {
  /** `expiresIn` in seconds from now; null: never. */
  readonly updates: ReadonlyArray<FileReference & { readonly expiresIn: number | null }>
}

/** Answer of `updateFiles`. */
export interface UpdatedFiles {
  readonly success: true
  readonly updatedCount: number
}

/** Files that are claimed, and the file route through which they must have come. */
export interface RouteClaim {
  readonly slug: string
  readonly fileKeys: ReadonlyArray<string>
}

/** Body of `POST /v6/claimFiles`, with either `fileKeys` or `claims`: at most 1,000 files, and as many that they replace. */
export interface ClaimFilesRequest {
  readonly fileKeys?: ReadonlyArray<string>
  /** Files of several routes, all of them or none. */
  readonly claims?: ReadonlyArray<RouteClaim>
  /** Keys of files that are deleted with the claim. */
  readonly replaces?: ReadonlyArray<string>
  /** Whose all of these files must be. */
  readonly owner?: string
  /** Through which file route all of `fileKeys` must have come. */
  readonly slug?: string
}

/** Answer of `claimFiles`. */
export interface ClaimedFiles {
  readonly success: true
  readonly claimedCount: number
  /** How many of `replaces` were there, and are deleted. */
  readonly replacedCount: number
}

/** Body of `POST /v6/releaseFiles`: at most 1,000 files. */
export interface ReleaseFilesRequest {
  readonly fileKeys: ReadonlyArray<string>
}

/** Answer of `releaseFiles`; files that are not `Held` are ignored. */
export interface ReleasedFiles {
  readonly success: true
  readonly releasedCount: number
  /** The keys of the files that were held and are released now. */
  readonly releasedKeys: ReadonlyArray<string>
}

/** Body of `POST /v6/rejectFiles`: at most 1,000 files. */
export interface RejectFilesRequest {
  readonly fileKeys: ReadonlyArray<string>
  /** Why, for the app's `onUploadError` and whoever sent the file; 1 to 500 characters. */
  readonly reason?: string
}

/** Answer of `rejectFiles`; files that are not `Held` are ignored. */
export interface RejectedFiles {
  readonly success: true
  readonly rejectedCount: number
  /** The keys of the files that were held and are rejected now. */
  readonly rejectedKeys: ReadonlyArray<string>
}

/** Body of `POST /v6/getUsageInfo`. */
export interface UsageInfoRequest {
  /** Only what this owner's files take. */
  readonly owner?: string
}

/** Answer of `POST /v6/getUsageInfo`. */
export interface UsageInfo {
  /** Bytes of all files that are `Uploaded`, `Pending` or `Held`. */
  readonly totalBytes: number
  /** The number of those files. */
  readonly filesUploaded: number
  /**
   * Bytes that uploads under way have announced, and that quotas count as well: the whole size of each, until it ends.
   * Absent in the answer of an older ingest.
   */
  readonly announcedBytes?: number
  /** The app's quota; null if there is no limit. */
  readonly limitBytes: number | null
}

/** Body of `POST /v6/requestFileAccess`. A custom id means the newest file that has it. */
export type FileAccessRequest = FileReference &
  OfOwner & {
    /** Seconds, 1–604800; by default an hour. */
    readonly expiresIn?: number
    /** Browsers save the file instead of showing it: `true` under its own name, a text under that one. */
    readonly download?: boolean | string
    /** The URL reads the file while it is `Held`, too. Not with a custom id. */
    readonly held?: boolean
  }

/** Answer of `requestFileAccess`. */
export interface FileAccess {
  /** Signed; reads the file until it expires. Never log it. */
  readonly url: string
}
