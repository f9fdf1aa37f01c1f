/*
 * What a catalog must know after each transition, as docs/protocol.md §4 to §10 and docs/stored-files.md say it. Nothing here
 * asks src what to decide: it only has the types of the port, and two messages.
 */
import type { FileRecord } from "../../../../src/ingest.ts"
import type { FileStatus, UploadGrant } from "../../../../src/protocol.ts"

const minute = 60_000
const day = 24 * 60 * minute

/** How long after its first URL was signed an upload can be sent. */
export const uploadLifetime = 7 * day
/** How long a registration is kept whose app does not say until when its URLs are valid. */
export const untoldUrlTtl = 30 * day
/** How far the clock of an app may be ahead. */
const clockSkew = 5 * minute
/** How long a registration may be under way. */
const registrationDelay = minute

/** A file with what belongs to it. */
export interface Kept {
  /** Files in the order in which they began. */
  readonly number: number
  readonly file: Omit<FileRecord, "id">
  /** It holds its key; a failed or deleted one may have lost it to a new upload. */
  readonly isCurrent: boolean
  /** Its app has registered it, and it has ended. */
  readonly isRegistered: boolean
  /** The event that its app is owed. */
  readonly event: "pending" | "delivered" | null
  readonly hasBytes: boolean
  /** Its app has said what its callback returns. */
  readonly hasResult: boolean
  /** Until when a URL for its key may be valid, where that is later than what the file says. */
  readonly urlsEnd: number
}

/** An upload that is registered and has not ended. */
export interface Expected {
  readonly key: string
  readonly registrationId: string | null
  /** When its newest URL expires. */
  readonly until: number
}

/** What is left of a file that was deleted. */
export interface Grave {
  readonly appId: string
  readonly key: string
  readonly deletedAt: number
  readonly until: number
  readonly hadFile: boolean
}

/** A deletion of many files, which is remembered. */
export interface Deletion {
  readonly appId: string
  readonly owner: string | undefined
  readonly prefix: string | undefined
  readonly askedAt: number
}

export interface Model {
  readonly now: number
  /** What the files of an app may take; the same in a whole sequence, as is the owners'. */
  readonly quota: number | undefined
  readonly ownerQuota: number | undefined
  readonly files: ReadonlyArray<Kept>
  readonly expected: ReadonlyArray<Expected>
  readonly graves: ReadonlyArray<Grave>
  readonly deletions: ReadonlyArray<Deletion>
  /** How many files have begun. */
  readonly begun: number
  /** What it was in the course of the last move, where that did several things. */
  readonly between: ReadonlyArray<Model>
}

export const createModel = (quotas: Pick<Model, "quota" | "ownerQuota">): Model => ({
  now: 1_000_000,
  ...quotas,
  files: [],
  expected: [],
  graves: [],
  deletions: [],
  begun: 0,
  between: [],
})

/** The keys that there are. Each belongs to one app, as the beginnings of real ones do. */
export const keys = ["a", "b", "c", "o"] as const
export const appOf = (key: string): string => (key === "o" ? "other" : "app")
export const appIds = ["app", "other"] as const
export const owners = ["u", "v"] as const
export const customIds = ["m", "n"] as const

export const findCurrent = (model: Model, key: string): Kept | undefined =>
  model.files.find(({ file, isCurrent }) => isCurrent && file.key === key)

export const findExpected = (
  model: Model,
  { key, registrationId }: Pick<FileRecord, "key" | "registrationId">,
): Expected | undefined => model.expected.find((each) => each.key === key && each.registrationId === registrationId)

/** Whether its app is known to have registered it. */
export const isRegistered = (model: Model, kept: Kept): boolean =>
  kept.isRegistered || findExpected(model, kept.file) !== undefined

/** Whether its time has passed. */
export const isOverdue = ({ file: { removeAt, claimBy } }: Kept, now: number): boolean =>
  Math.min(removeAt ?? Infinity, claimBy ?? Infinity) <= now

/** When its times end, which count from its arrival or from its release. */
export const countFrom = ({ keepFor, claimWithin }: Kept["file"], now: number) => ({
  removeAt: keepFor === null ? null : now + keepFor,
  claimBy: claimWithin === null ? null : now + claimWithin,
})

/** Whether it waits for a verdict. */
export const isHeld = ({ file: { status, hold } }: Kept): boolean => status === "Uploaded" && hold

/** Whether somebody with a signed URL may read it. */
export const isReadable = (kept: Kept, now: number): boolean =>
  kept.file.status === "Uploaded" &&
  !isHeld(kept) &&
  !isOverdue(kept, now) &&
  (kept.file.slug === null || kept.isRegistered)

/** The file that a signed prefix reads under a path. */
export const findByPath = (
  { files, now }: Model,
  appId: string,
  path: string,
  owner: string | undefined,
): Kept | undefined =>
  files.findLast(
    (kept) =>
      kept.isCurrent &&
      kept.file.appId === appId &&
      kept.file.path === path &&
      (owner === undefined || kept.file.owner === owner) &&
      kept.file.claimBy === null &&
      isReadable(kept, now),
  )

/** The file that a custom id means where one is read. */
export const findByCustomId = (
  { files, now }: Model,
  appId: string,
  customId: string,
  among: "readable" | "all",
): Kept | undefined =>
  files.findLast(
    (kept) =>
      kept.file.appId === appId &&
      kept.file.customId === customId &&
      kept.file.status === "Uploaded" &&
      (among === "all" || (kept.file.claimBy === null && isReadable(kept, now))),
  )

export const toStatus = (kept: Kept): FileStatus => {
  if (isHeld(kept)) return "Held"
  const { status, claimBy } = kept.file
  return status === "Uploaded" && claimBy !== null ? "Pending" : status
}

/** What files take. */
export const measure = (files: ReadonlyArray<Pick<FileRecord, "status" | "size">>) => {
  const sum = (status: FileStatus) => files.reduce((bytes, file) => bytes + (file.status === status ? file.size : 0), 0)
  return {
    files: files.filter(({ status }) => status === "Uploaded").length,
    storedBytes: sum("Uploaded"),
    announcedBytes: sum("Uploading"),
  }
}

/** A change of one file. */
export const update = (
  model: Model,
  number: number,
  { file, ...rest }: Partial<Omit<Kept, "file" | "number">> & { readonly file?: Partial<Kept["file"]> },
): Model => ({
  ...model,
  files: model.files.map((kept) =>
    kept.number === number ? { ...kept, ...rest, file: { ...kept.file, ...file } } : kept,
  ),
})

export const drop = (model: Model, number: number): Model => ({
  ...model,
  files: model.files.filter((kept) => kept.number !== number),
})

export const add = (
  model: Model,
  file: Kept["file"],
  rest: Partial<Pick<Kept, "isRegistered" | "event">> = {},
): Model => {
  const kept: Kept = {
    number: model.begun,
    file,
    isCurrent: true,
    isRegistered: false,
    event: null,
    hasBytes: true,
    hasResult: false,
    urlsEnd: 0,
    ...rest,
  }
  return { ...model, files: [...model.files, kept], begun: model.begun + 1 }
}

/** An upload is expected at least until then. */
export const expectUpload = (
  model: Model,
  upload: Pick<FileRecord, "key" | "registrationId">,
  until: number,
): Model => {
  const known = findExpected(model, upload)
  const next = { ...upload, until: Math.max(until, known?.until ?? 0) }
  return { ...model, expected: [...model.expected.filter((each) => each !== known), next] }
}

/** A file has ended: its app is owed an event where it has registered, unless the file waits for a verdict. */
export const end = (model: Model, number: number): Model => {
  const kept = model.files.find((each) => each.number === number)!
  const known = findExpected(model, kept.file)
  if (known === undefined) return model
  const left = { ...model, expected: model.expected.filter((each) => each !== known) }
  return update(left, number, { isRegistered: true, event: isHeld(kept) ? null : "pending" })
}

/** A file that has lost its key is kept while it has bytes, or its app is owed an event or may still register it. */
export const dropLost = (model: Model, number: number): Model => {
  const kept = model.files.find((each) => each.number === number)!
  const isForgotten = kept.file.registrationId === null || kept.isRegistered
  const isOver = kept.file.status === "Failed" && !kept.isCurrent && !kept.hasBytes && kept.event === null
  return isOver && isForgotten ? drop(model, number) : model
}

export const bury = (model: Model, { appId, key, deletedAt, until, hadFile }: Grave): Model => {
  const known = model.graves.find((grave) => grave.appId === appId && grave.key === key)
  const grave = {
    appId,
    key,
    deletedAt: Math.max(deletedAt, known?.deletedAt ?? 0),
    until: Math.max(until, known?.until ?? 0),
    hadFile: hadFile || known?.hadFile === true,
  }
  return { ...model, graves: [...model.graves.filter((each) => each !== known), grave] }
}

/** Nothing is expected of a key any more. */
export const forget = (model: Model, key: string): Model => ({
  ...model,
  expected: model.expected.filter((each) => each.key !== key),
})

/** What a whole sweep leaves. */
export const sweepAll = (model: Model): Model => {
  const isOver = (kept: Kept) => kept.file.status === "Uploaded" && isOverdue(kept, model.now)
  const swept = model.files.filter(isOver).reduce(deleteKept, model)
  let next: Model = { ...swept, files: swept.files.filter(({ file }) => file.status !== "Deleting") }
  for (const { number, file } of next.files.filter(({ file }) => file.status === "Failed"))
    next = dropLost(update(next, number, { hasBytes: false, file }), number)
  return next
}

/** A file is deleted: its event is gone, and its upload comes back with no URL that was signed before. */
export const deleteKept = (model: Model, { number, file, urlsEnd }: Kept): Model => {
  const { now } = model
  const { appId, key, expires, createdAt, resumedAt, issuedAt, epoch } = file
  const isExpected = model.expected.some((each) => each.key === key)
  const until = Math.max(
    expires,
    (resumedAt ?? createdAt) + uploadLifetime,
    urlsEnd,
    isExpected ? now + uploadLifetime : 0,
  )
  const deleted = update(forget(model, key), number, {
    file: { status: "Deleting", epoch: epoch + 1, endedAt: now },
    event: null,
  })
  if (until <= now) return deleted
  return bury(deleted, { appId, key, deletedAt: Math.max(now, issuedAt ?? 0), until, hadFile: true })
}

/** Whether all files of its owner were deleted since the URL of an upload was issued: it does not begin any more. */
export const isBarred = (
  { now, deletions }: Model,
  { appId, issuedAt = 0 }: UploadGrant,
  owner: string | undefined,
): boolean =>
  owner !== undefined &&
  deletions.some(
    (deletion) =>
      deletion.appId === appId &&
      deletion.owner === owner &&
      deletion.prefix === undefined &&
      deletion.askedAt >= issuedAt &&
      deletion.askedAt + uploadLifetime > now,
  )

/** What a deletion says of an upload that begins. */
export const judge = (model: Model, grant: UploadGrant): "open" | "deleted" | "unregistered" => {
  const { key, appId, issuedAt, slug, seal, registrationId = null } = grant
  const grave = model.graves.find((each) => each.appId === appId && each.key === key)
  if (grave === undefined || grave.until <= model.now) return "open"
  if (issuedAt === undefined || issuedAt <= grave.deletedAt) return "deleted"
  const file = findCurrent(model, key)?.file
  const hasBegun = file?.registrationId === registrationId && file.issuedAt === issuedAt && file.status !== "Deleting"
  if (hasBegun) return "open"
  if (slug === undefined || seal !== undefined) return issuedAt > grave.deletedAt + clockSkew ? "open" : "deleted"
  if (findExpected(model, { key, registrationId }) !== undefined) return "open"
  return model.now < issuedAt + registrationDelay ? "unregistered" : "deleted"
}
