import { content, grantOf } from "../../../../src/conformance/catalog/drive-catalog.ts"
import { type Catalog, type FileLabels, toFileStatus } from "../../../../src/ingest.ts"
import type { Operation, Situation, State } from "./states.ts"

const appId = "app"
const key = "key"
const owner = "user-7"
const origin = "http://ingest.example"
const fileHash = "ab".repeat(32)
const registrationId = "first"

/** How a file is kept where an operation does not need it otherwise: its time to claim passes first. */
const times = { claimWithin: 1000, keepFor: 5000 }

/**
 * Brings a catalog without files into a situation, does an operation to its file, and says what became of it.
 *
 * @param operation what will be done; undefined: nothing
 */
export const createFile = (catalog: Catalog, operation: Operation | undefined) => {
  let events = 0
  const createEventId = (): string => `evt_${++events}`
  const { claimWithin, keepFor } = operation === "expiresIn passes" ? { claimWithin: 9000, keepFor: 5000 } : times
  const grant = grantOf(key, { registrationId, issuedAt: 900 })
  const notes = { now: 2000, fileHash, claimedUntil: null }
  let labels: FileLabels = { owner, path: "a/b", keepFor }
  let id: number | undefined

  const register = () =>
    catalog.register({
      ...{ appId, id: registrationId, fileKeys: [key], metadata: "null", callbackUrl: "http://app.example/api/sluice" },
      ...{ callbackSlug: "avatar", awaitServerData: false, isDev: false, trace: null, now: 800, createEventId },
    })
  const begin = () => catalog.begin({ grant, labels, origin, now: 1000 })
  const epoch = async (): Promise<number> => (await catalog.get(key))?.file.epoch ?? 1
  const commit = async () =>
    catalog.commit({ key, epoch: await epoch(), eventId: createEventId(), blobRef: null, ...notes })
  const fail = async () => {
    const failure = { code: "CONTENT_MISMATCH", message: "No." } as const
    return catalog.fail({ key, epoch: await epoch(), failure, now: 2000, eventId: createEventId() })
  }
  const judge = (kind: "release" | "reject") =>
    catalog.judgeHeld({ appId, files: [{ key }], verdict: { kind }, now: 2100, createEventId })
  const claim = () => catalog.claimFiles({ appId, keys: [key], replaces: [], now: 2200 })
  const remove = () => catalog.deleteFiles({ appId, files: [{ fileKey: key }], now: 2300 })
  const removeOwner = (limit: number) => catalog.deleteMatching({ appId, selection: { owner }, now: 2300, limit })
  const reclaim = async () => {
    for (const blob of await catalog.listReclaimable(10)) await catalog.reclaimed(blob)
  }
  const end = (before: { readonly expired?: number; readonly unregistered?: number }) => {
    const { expired: expiredBefore = 0, unregistered: unregisteredBefore = 0 } = before
    return catalog.expire({
      expiredBefore,
      unregisteredBefore,
      abandonedBefore: 0,
      limit: 10,
      now: 50_000,
      createEventId,
    })
  }
  const tell = async () => {
    for (const due of await catalog.claimDue({ channel: "callback", now: 3000, claimedUntil: 4000, limit: 10 })) {
      const attempt = {
        startedAt: 3000,
        latency: 5,
        status: 200,
        error: null,
        answer: "ok",
        outcome: "delivered",
      } as const
      await catalog.recordAttempt({ deliveryId: due.id, attempt: due.attempt, ...attempt })
    }
  }

  const label = (situation: Situation): void => {
    const hasClaim = /, with (claim|both)|, claimed|^Pending/.test(situation)
    const hasHold = /, with (hold|both)|^Held|, released/.test(situation)
    labels = { ...labels, ...(hasClaim && { claimWithin }), ...(hasHold && { hold: true }) }
  }

  const enter = async (situation: Situation): Promise<void> => {
    label(situation)
    if (operation !== "nobody registers") await register()
    if (situation.startsWith("nothing")) return
    await begin()
    id = (await catalog.get(key))?.file.id
    if (situation === "Uploading, claimed" || situation === "Held, claimed") await claim()
    if (situation.startsWith("Uploading")) return
    if (situation.startsWith("Failed")) await fail()
    else await commit()
    if (situation.endsWith(", released")) await judge("release")
    if (situation === "Uploaded, claimed") await claim()
    if (situation === "Failed, told and reclaimed") await Promise.all([tell(), reclaim()])
    if (situation === "Deleting" || situation === "gone") await remove()
    if (situation === "gone") await reclaim()
  }

  const replace = async (): Promise<void> => {
    const other = grantOf("other", { slug: undefined })
    await catalog.commitWhole({ grant: other, labels: { owner }, origin, bytes: content, eventId: "evt_o", ...notes })
    await catalog.claimFiles({ appId, keys: ["other"], replaces: [{ fileKey: key }], now: 2200 })
  }
  const takeKey = () => {
    const other = grantOf(key, { registrationId: "second", issuedAt: 2400, name: "other.txt" })
    return catalog.begin({ grant: other, labels: { owner }, origin, now: 2500, eventId: createEventId() })
  }
  const change = () =>
    catalog.changeFiles({
      appId,
      now: 2200,
      changes: [{ file: { fileKey: key }, name: "new.txt", path: null, removeAt: 90_000 }],
    })

  const operations: Readonly<Record<Operation, () => Promise<unknown>>> = {
    begin,
    "arrive at once": () =>
      catalog.commitWhole({ grant, labels, origin, bytes: content, eventId: createEventId(), ...notes }),
    "last byte": commit,
    "refuse content": fail,
    "URL expires": () => end({ expired: 10_001 }),
    claim,
    "replace by a claim": replace,
    release: () => judge("release"),
    reject: () => judge("reject"),
    change,
    delete: remove,
    "delete owner": () => removeOwner(10),
    "delete owner, not reached": () => removeOwner(0),
    // Arrival, or release, was at 2000 or 2100.
    "time to claim passes": () => catalog.deleteOverdue({ now: 4000, limit: 10 }),
    "expiresIn passes": () => catalog.deleteOverdue({ now: 8000, limit: 10 }),
    "nobody registers": () => end({ unregistered: 2001 }),
    "reclaim bytes": reclaim,
    "forget history": () => catalog.prune({ before: 99_000, limit: 10 }),
    "take its key": takeKey,
  }

  /** The state of the file, also where another upload has its key by now. */
  const find = async (): Promise<State | "not there"> => {
    const upload = await catalog.get(key)
    if (upload !== null && (id === undefined ? upload.file.name !== "other.txt" : upload.file.id === id))
      return toFileStatus(upload.file)
    const owed = (await catalog.listDeliveries({ limit: 10 })).find(({ file }) => file.id === id)
    if (owed !== undefined) return toFileStatus(owed.file)
    // A file whose events are deleted and whose bytes are to go.
    const isLeft = (await catalog.listReclaimable(10)).some((blob) => blob.id === id)
    return isLeft ? "Deleting" : "not there"
  }

  return {
    enter,
    act: (done: Operation) => operations[done](),
    find,
    operations: Object.keys(operations) as ReadonlyArray<Operation>,
  }
}
