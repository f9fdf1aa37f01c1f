import * as fc from "fast-check"
import type { FileFailure } from "../../../../../src/ingest.ts"
import { replacedFailure } from "../../../../../src/ingest/storage/upload-rules.ts"
import type { Command } from "../command.ts"
import {
  createEventId,
  fileHash,
  type GivenUpload,
  key,
  origin,
  registration,
  toUpload,
  type Upload,
  upload,
  uploadAtDoor,
} from "../given.ts"
import {
  add,
  appOf,
  countFrom,
  dropLost,
  end,
  expectUpload,
  findCurrent,
  isBarred,
  isHeld,
  isOverdue,
  judge,
  type Kept,
  measure,
  type Model,
  untoldUrlTtl,
  update,
  uploadLifetime,
} from "../model.ts"

const failure: FileFailure = { code: "CONTENT_MISMATCH", message: "No." }

const notesOf = ({ now }: Model) => ({ now, eventId: createEventId(), claimedUntil: null })

/** The record of a file that begins. */
const describe = ({ grant, labels }: Upload, epoch: number, now: number): Kept["file"] => ({
  key: grant.key,
  appId: grant.appId,
  status: "Uploading",
  name: grant.name,
  size: grant.size,
  type: grant.type,
  customId: grant.customId ?? null,
  slug: grant.slug ?? null,
  registrationId: grant.registrationId ?? null,
  issuedAt: grant.issuedAt ?? null,
  contentDisposition: null,
  acl: grant.acl ?? null,
  cache: null,
  origin,
  expires: grant.expires,
  epoch,
  createdAt: now,
  resumedAt: null,
  uploadedAt: null,
  fileHash: null,
  failure: null,
  endedAt: null,
  isInline: false,
  blobRef: null,
  owner: labels.owner ?? null,
  path: labels.path ?? null,
  keepFor: labels.keepFor ?? null,
  claimWithin: labels.claimWithin ?? null,
  hold: labels.hold ?? false,
  removeAt: null,
  claimBy: null,
  releasedAt: null,
  claimedAt: null,
})

/** What changes with a file when it has arrived. */
const arrive = (file: Kept["file"], now: number): Partial<Kept["file"]> => ({
  status: "Uploaded",
  uploadedAt: now,
  fileHash,
  ...(!file.hold && countFrom(file, now)),
})

/** Which quota has no room for a new file in the place of another, with what is taken of it. */
const findFullQuota = (model: Model, { grant, labels }: Upload, former: Kept | undefined) => {
  const ofApp = model.files.map(({ file }) => file).filter((file) => file.appId === grant.appId)
  const ofOwner = ofApp.filter((file) => labels.owner !== undefined && file.owner === labels.owner)
  const isFull = (files: typeof ofApp, quota: number | undefined): boolean => {
    const others = files.filter((file) => file !== former?.file || file.status !== "Uploading")
    const { storedBytes, announcedBytes } = measure(others)
    return quota !== undefined && storedBytes + announcedBytes + grant.size > quota
  }
  if (isFull(ofApp, model.quota)) return { kind: "overQuota", usage: measure(ofApp) }
  if (isFull(ofOwner, labels.ownerQuota)) return { kind: "overOwnerQuota", usage: measure(ofOwner) }
  return undefined
}

/** A URL that is refused may show until when others like it are valid. */
const noteRefusal = (model: Model, { grant }: Upload): Model =>
  grant.issuedAt !== undefined
    ? model
    : {
        ...model,
        graves: model.graves.map((grave) =>
          grave.appId === grant.appId && grave.key === grant.key
            ? { ...grave, until: Math.max(grave.until, grant.expires) }
            : grave,
        ),
      }

/** A new upload takes the key of another. */
const takeOver = (model: Model, { grant }: Upload, former: Kept): Model => {
  const { number, file } = former
  const lost = update(model, number, { isCurrent: false })
  if (file.status === "Deleting") return lost
  const failed = update(lost, number, {
    file: { status: "Failed", failure: file.failure ?? replacedFailure, endedAt: file.endedAt ?? model.now },
  })
  const isGivenUp = file.status === "Uploading" && file.registrationId !== (grant.registrationId ?? null)
  return dropLost(isGivenUp ? end(failed, number) : failed, number)
}

/** What a catalog said of an upload that wants to begin. */
type Begun = { readonly kind: string; readonly [what: string]: unknown }

const begin = (model: Model, asked: Upload): readonly [Model, Begun] => {
  const { grant } = asked
  const { now } = model
  const verdict = judge(model, grant)
  if (verdict === "deleted") return [noteRefusal(model, asked), { kind: verdict }]
  if (verdict === "unregistered") return [model, { kind: verdict }]
  const known = findCurrent(model, grant.key)
  const registrationId = grant.registrationId ?? null
  if (known !== undefined && known.file.status !== "Deleting") {
    const { number, file, urlsEnd } = known
    const isSame =
      file.registrationId === registrationId &&
      file.size === grant.size &&
      (file.status === "Uploaded" || file.name === grant.name)
    if (isSame && file.status === "Uploaded" && isOverdue(known, now)) return [model, { kind: "deleted" }]
    if (isSame && file.status === "Uploaded")
      return [update(model, number, { urlsEnd: Math.max(urlsEnd, grant.expires) }), { kind: "finished" }]
    if (isSame && file.status === "Uploading") {
      const { expires, customId = null, acl = null } = grant.expires < file.expires ? file : grant
      const epoch = file.epoch + 1
      return [
        update(model, number, { file: { epoch, resumedAt: now, expires, customId, acl } }),
        { kind: "granted", epoch, isNew: false },
      ]
    }
    if (isSame && (registrationId !== null || grant.expires <= file.expires))
      return [model, { kind: "failed", failure: file.failure }]
    if (!isSame && file.status === "Uploaded") return [model, { kind: "taken" }]
    const isEarlier = file.issuedAt !== null && grant.issuedAt !== undefined && grant.issuedAt <= file.issuedAt
    if (!isSame && isEarlier && file.registrationId !== registrationId) return [model, { kind: "taken" }]
  }
  if (isBarred(model, grant, asked.labels.owner)) return [model, { kind: "deleted" }]
  const full = findFullQuota(model, asked, known)
  if (full !== undefined) return [model, full]
  const epoch = (known?.file.epoch ?? 0) + 1
  const free = known === undefined ? model : takeOver(model, asked, known)
  return [add(free, describe(asked, epoch, now)), { kind: "granted", epoch, isNew: true }]
}

/** What the URL of an upload says of its registration counts where nothing else is known. */
const announce = (model: Model, { grant, registration: sealed }: Upload): Model => {
  const { key, registrationId = null, expires } = grant
  return sealed === undefined ? model : expectUpload(model, { key, registrationId }, expires)
}

/** An upload begins, or goes on. */
export const beginUpload: Command<GivenUpload, Begun> = {
  name: "begin",
  weight: 8,
  given: upload,
  run: {
    model: (model, given) => {
      const asked = toUpload(model, given)
      const [after, begun] = begin(model, asked)
      return [begun.kind === "granted" ? announce(after, asked) : after, begun]
    },
    catalog: async (catalog, given, model) => {
      const begun = await catalog.begin({
        ...toUpload(model, given),
        origin,
        now: model.now,
        eventId: createEventId(),
      })
      if (begun.kind === "granted") return { kind: begun.kind, epoch: begun.epoch, isNew: begun.isNew }
      if (begun.kind === "finished") return { kind: begun.kind }
      if (begun.kind !== "overQuota" && begun.kind !== "overOwnerQuota") return begun
      const { files, storedBytes, announcedBytes } = begun.usage
      return { kind: begun.kind, usage: { files, storedBytes, announcedBytes } }
    },
  },
}

/** A small file arrives in one piece. */
export const commitWhole: Command<GivenUpload, string> = {
  name: "commit whole",
  weight: 6,
  given: upload,
  run: {
    model: (model, given) => {
      const asked = toUpload(model, given)
      const verdict = judge(model, asked.grant)
      if (verdict === "deleted") return [noteRefusal(model, asked), "refused"]
      const isRefused =
        verdict !== "open" ||
        isBarred(model, asked.grant, asked.labels.owner) ||
        findCurrent(model, asked.grant.key) !== undefined ||
        findFullQuota(model, asked, undefined) !== undefined
      if (isRefused) return [model, "refused"]
      const begun = describe(asked, 1, model.now)
      const stored = add(model, { ...begun, ...arrive(begun, model.now), isInline: true })
      return [end(announce(stored, asked), model.begun), "committed"]
    },
    catalog: async (catalog, given, model) => {
      const asked = toUpload(model, given)
      const bytes = new Uint8Array(asked.grant.size).fill(model.begun)
      return (await catalog.commitWhole({ ...asked, origin, bytes, fileHash, ...notesOf(model) })).kind
    },
  },
}

/** A PUT at an ingest's door, with all the bytes that are missing or some of them. */
export const send: Command<{ readonly upload: GivenUpload; readonly isWhole: boolean }, string> = {
  name: "send",
  weight: 14,
  given: fc.record({ upload: uploadAtDoor, isWhole: fc.constantFrom(true, true, false) }),
  run: {
    model: (model, { upload, isWhole }) => {
      const asked = toUpload(model, upload)
      const [begun, { kind }] = begin(model, asked)
      if (kind !== "granted") return [begun, kind]
      const next = announce(begun, asked)
      const { number, file } = findCurrent(next, upload.key)!
      if (!isWhole && file.size > 0) return [next, "granted"]
      return [end(update(next, number, { file: arrive(file, model.now) }), number), "finished"]
    },
    door: (door, { upload, isWhole }, model) => {
      const asked = toUpload(model, upload)
      const [next, { kind }] = begin(model, asked)
      // Which file it is decides what its bytes are, and where they go on.
      const { number } = findCurrent(next, upload.key) ?? { number: model.begun }
      return door.send(asked, number, isWhole || kind !== "granted")
    },
  },
}

/** Another request has come for an upload: its writer stops. */
export const interrupt: Command<{ readonly key: string }, number | null> = {
  name: "interrupt",
  weight: 1,
  given: fc.record({ key }),
  run: {
    model: (model, { key }) => {
      const known = findCurrent(model, key)
      if (known?.file.status !== "Uploading") return [model, null]
      const epoch = known.file.epoch + 1
      return [update(model, known.number, { file: { epoch } }), epoch]
    },
    // Nobody is told that another process holds it who does not ask.
    catalog: (catalog, { key }) => catalog.interrupt(key) as Promise<number | null>,
  },
}

/** A writer by the epoch that it was granted: the newest one, or one from before. */
const writer = fc.record({ key, isLate: fc.constantFrom(false, false, false, false, true) })
type Writer = { readonly key: string; readonly isLate: boolean }

const epochOf = (model: Model, { key, isLate }: Writer): number =>
  (findCurrent(model, key)?.file.epoch ?? 1) - Number(isLate)

/** The upload that a writer may end. */
const findOpen = (model: Model, { key, isLate }: Writer): Kept | undefined => {
  const known = findCurrent(model, key)
  return known?.file.status === "Uploading" && !isLate ? known : undefined
}

/** The last byte has arrived. */
export const commit: Command<Writer, string> = {
  name: "commit",
  weight: 7,
  given: writer,
  run: {
    model: (model, given) => {
      const open = findOpen(model, given)
      if (open === undefined) return [model, "fenced"]
      return [end(update(model, open.number, { file: arrive(open.file, model.now) }), open.number), "committed"]
    },
    catalog: async (catalog, given, model) => {
      const { key } = given
      return (await catalog.commit({ key, epoch: epochOf(model, given), fileHash, blobRef: null, ...notesOf(model) }))
        .kind
    },
  },
}

/** An upload has failed for good. */
export const fail: Command<Writer, boolean> = {
  name: "fail",
  weight: 1,
  given: writer,
  run: {
    model: (model, given) => {
      const open = findOpen(model, given)
      if (open === undefined) return [model, false]
      const file = { status: "Failed", failure, endedAt: model.now } as const
      return [end(update(model, open.number, { file }), open.number), true]
    },
    catalog: (catalog, given, model) => {
      const { now } = model
      return catalog.fail({ key: given.key, epoch: epochOf(model, given), failure, now, eventId: createEventId() })
    },
  },
}

/** What an app registers. */
interface Registered {
  readonly keys: ReadonlyArray<string>
  readonly id: string | undefined
  readonly expiresIn: number | undefined
}

const registerOne = (model: Model, key: string, { id, expiresIn }: Registered): Model => {
  const { now } = model
  const registrationId = id ?? null
  const current = findCurrent(model, key)
  const known =
    current?.file.registrationId === registrationId
      ? current
      : registrationId === null
        ? undefined
        : model.files.findLast(
            ({ isCurrent, file }) => !isCurrent && file.key === key && file.registrationId === registrationId,
          )
  const status = known?.file.status
  const hasEnded = status === "Uploaded" || status === "Failed"
  let next = model
  if (known !== undefined && hasEnded && !known.isRegistered)
    next = update(next, known.number, { isRegistered: true, event: isHeld(known) ? null : "pending" })
  if (known !== undefined && status === "Uploading" && expiresIn !== undefined)
    next = update(next, known.number, { file: { expires: Math.max(known.file.expires, now + expiresIn) } })
  // Without an id it may be for the next upload of the key.
  const isExpected = id === undefined ? status !== "Uploaded" : !hasEnded && status !== "Deleting"
  if (isExpected) return expectUpload(next, { key, registrationId }, now + (expiresIn ?? untoldUrlTtl))
  if (current === undefined) return next
  return update(next, current.number, { urlsEnd: Math.max(current.urlsEnd, now + uploadLifetime) })
}

/** An app registers uploads, before they begin, while they run or after they have ended. */
export const register: Command<Registered, string> = {
  name: "register",
  weight: 4,
  given: fc.record({
    keys: fc.constantFrom(["a"], ["b"], ["c"], ["a", "b"], ["a", "b", "c"], ["o"]),
    id: fc.constantFrom(undefined, "x", "y"),
    expiresIn: fc.constantFrom(undefined, 500, 5000),
  }),
  run: {
    model: (model, given) => [given.keys.reduce((before, key) => registerOne(before, key, given), model), "registered"],
    catalog: (catalog, { keys, id, expiresIn }, { now }) =>
      catalog.register({
        ...registration,
        appId: appOf(keys[0]!),
        id,
        fileKeys: keys,
        expires: expiresIn === undefined ? undefined : now + expiresIn,
        now,
        createEventId,
      }),
  },
}

/** All callbacks that are due are sent, and taken. */
export const deliver: Command<null, ReadonlyArray<string>> = {
  name: "deliver",
  weight: 1,
  given: fc.constant(null),
  run: {
    model: (model) => {
      const due = model.files.filter(({ event }) => event === "pending")
      const after = due.reduce((before, { number }) => update(before, number, { event: "delivered" }), model)
      return [after, due.map(({ file }) => `${file.key} ${file.status}`).toSorted()]
    },
    catalog: async (catalog, _, { now }) => {
      const due = await catalog.claimDue({ channel: "callback", now, claimedUntil: now + 1, limit: 100 })
      const went = { startedAt: now, latency: 1, status: 200, error: null, answer: null, outcome: "delivered" } as const
      for (const { id, attempt } of due) await catalog.recordAttempt({ deliveryId: id, attempt, ...went })
      return due.map(({ file }) => `${file.key} ${file.status}`).toSorted()
    },
  },
}
