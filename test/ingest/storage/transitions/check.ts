import * as fc from "fast-check"
import type { Catalog, FileRecord, UploadRecord } from "../../../../src/ingest.ts"
import { isReadable as mayBeRead } from "../../../../src/ingest/storage/readable.ts"
import { expectSame, expectThat } from "./command.ts"
import { paths } from "./given.ts"
import {
  appIds,
  appOf,
  customIds,
  findByCustomId,
  findByPath,
  findCurrent,
  isHeld,
  isReadable,
  isRegistered,
  type Kept,
  keys,
  measure,
  type Model,
  owners,
  toStatus,
} from "./model.ts"

const statuses = ["Uploading", "Held", "Pending", "Uploaded", "Deleting", "Failed"] as const

/** One page after the other of a listing. */
const listing = fc.record({
  appId: fc.constantFrom(undefined, "app", "app", "app", "other"),
  owner: fc.constantFrom(undefined, ...owners),
  status: fc.constantFrom(undefined, ...statuses),
  prefix: fc.constantFrom(undefined, undefined, "a", "a/", "b/"),
  /** Files on a page. */
  limit: fc.constantFrom(100, 100, 1, 2),
})

type Listing = typeof listing extends fc.Arbitrary<infer Value> ? Value : never

/** A listing of what waits for a verdict, perhaps without one file. */
const heldListing = fc.record({
  held: fc.constantFrom(1, 2, 100),
  except: fc.constantFrom(undefined, undefined, ...keys),
})

/** What is looked at after a step, beside all that always is; listings cost as much as everything else together. */
export const look = fc.oneof(
  { weight: 6, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: listing },
  { weight: 1, arbitrary: fc.constant("contents" as const) },
  { weight: 1, arbitrary: heldListing },
)

export type Look = typeof look extends fc.Arbitrary<infer Value> ? Value : never

const withoutId = ({ id: _id, ...file }: FileRecord): Kept["file"] => file

const checkUpload = (upload: UploadRecord | null, kept: Kept | undefined, model: Model, key: string): void => {
  if (upload === null || kept === undefined) return expectSame(upload, kept ?? null, `the file of ${key}`)
  expectSame(withoutId(upload.file), kept.file, `the file of ${key}`)
  const found = [upload.registration !== null, upload.delivery?.status ?? null, mayBeRead(upload, model.now)]
  const expected = [isRegistered(model, kept), kept.event, isReadable(kept, model.now)]
  expectSame(found, expected, `whether ${key} is registered, owed and readable`)
  if (kept.file.status === "Uploaded")
    expectSame(upload.result !== null, kept.hasResult, `whether ${key} has the result of its app`)
}

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b))

/** What a listing must show. */
const listExpected = (model: Model, { appId, owner, status, prefix }: Listing): ReadonlyArray<string> => {
  const found = model.files.filter(
    (kept) =>
      kept.isCurrent &&
      (appId === undefined || kept.file.appId === appId) &&
      // The owner is looked up within an app alone.
      (owner === undefined || appId === undefined || kept.file.owner === owner) &&
      (status === undefined || toStatus(kept) === status) &&
      (prefix === undefined || appId === undefined || kept.file.path?.startsWith(prefix) === true),
  )
  if (prefix === undefined || appId === undefined) return found.map(({ file }) => file.key).toReversed()
  return found
    .toSorted((a, b) => compareBytes(a.file.path!, b.file.path!) || a.number - b.number)
    .map(({ file }) => file.key)
}

/** What a listing shows, page after page. */
const listAll = async (catalog: Catalog, { appId, owner, status, prefix, limit }: Listing) => {
  const found: Array<FileRecord> = []
  for (;;) {
    const last = found.at(-1)
    const page =
      prefix === undefined || appId === undefined
        ? await catalog.list({ appId, status, limit, before: last?.id, ...(appId !== undefined && { owner }) })
        : await catalog.listByPath({
            appId,
            owner,
            status,
            prefix,
            limit,
            after: last === undefined ? undefined : { path: last.path!, id: last.id },
          })
    found.push(...page)
    if (page.length < limit || found.length > keys.length) return found.map(({ key }) => key)
  }
}

/** Whether the oldest files that are held are listed, of each app so many. */
const checkHeld = async (
  catalog: Catalog,
  uploads: ReadonlyArray<UploadRecord | null>,
  model: Model,
  { held: limit, except }: Extract<Look, { readonly held: number }>,
): Promise<void> => {
  const excepted = uploads.flatMap((upload) => (upload !== null && upload.file.key === except ? [upload.file.id] : []))
  const listed = await catalog.listHeld({ limit, except: new Set(excepted) })
  const waiting = model.files.filter((kept) => kept.isCurrent && isHeld(kept) && kept.file.key !== except)
  for (const appId of appIds)
    expectSame(
      listed.filter(({ file }) => file.appId === appId).map(({ file }) => file.key),
      waiting
        .filter(({ file }) => file.appId === appId)
        .slice(0, limit)
        .map(({ file }) => file.key),
      `what is held of ${appId}`,
    )
}

/** Whether the bytes of small files are there as long as the files are, and no longer. */
const checkContents = async (catalog: Catalog, uploads: ReadonlyArray<UploadRecord | null>, model: Model) => {
  for (const upload of uploads) {
    if (upload?.file.isInline !== true) continue
    const { number, file } = findCurrent(model, upload.file.key)!
    const bytes = await catalog.readContent(upload.file.id)
    expectSame(
      bytes && [...bytes],
      // Those of a file that was rejected are gone with the verdict.
      file.failure?.code === "REJECTED" ? null : Array.from({ length: file.size }, () => number),
      `the bytes of ${file.key}`,
    )
  }
}

/** Whether files are found by their custom ids and by their paths. */
const checkFound = async (catalog: Catalog, model: Model, when = ""): Promise<void> => {
  for (const customId of customIds)
    for (const among of ["readable", "all"] as const) {
      const found = await catalog.findByCustomId("app", customId, among, model.now)
      const expected = findByCustomId(model, "app", customId, among)
      expectSame(found?.key, expected?.file.key, `the ${among} file with the custom id ${customId}${when}`)
    }
  for (const path of paths)
    for (const owner of [undefined, owners[0]]) {
      const found = await catalog.findByPath({ appId: "app", path, owner, now: model.now })
      const expected = findByPath(model, "app", path, owner)
      expectSame(found?.key, expected?.file.key, `the file of ${owner ?? "anybody"} with the path ${path}${when}`)
    }
}

/** Whether everybody sees which files a deletion means, while it may not have reached their rows yet. */
export const checkVisible = async (catalog: Catalog, model: Model): Promise<void> => {
  for (const key of keys) {
    const upload = await catalog.get(key)
    const kept = findCurrent(model, key)
    const found = [upload?.file.status, upload !== null && mayBeRead(upload, model.now)]
    const expected = [kept?.file.status, kept !== undefined && isReadable(kept, model.now)]
    expectSame(found, expected, `whether ${key} can be read while files are being deleted`)
  }
  await checkFound(catalog, model, " meanwhile")
  // A listing may leave out files that are being deleted and that no step has reached.
  for (const status of statuses.filter((status) => status !== "Deleting"))
    for (const prefix of [undefined, "a"] as const) {
      const asked = { appId: "app", owner: undefined, status, prefix, limit: 100 } as const
      expectSame(
        await listAll(catalog, asked),
        listExpected(model, asked),
        `the list ${JSON.stringify(asked)} meanwhile`,
      )
    }
  await checkHeld(catalog, [], model, { held: 100, except: undefined })
}

/** Compares all that a catalog says with what the model knows. */
export const checkCatalog = async (catalog: Catalog, model: Model, asked: Look): Promise<void> => {
  const uploads = await Promise.all(keys.map((key) => catalog.get(key)))
  for (const [i, key] of keys.entries()) checkUpload(uploads[i]!, findCurrent(model, key), model, key)

  for (const appId of appIds) {
    const ofApp = model.files.map(({ file }) => file).filter((file) => file.appId === appId)
    const { catalogBytes: _catalogBytes, expectedBytes: _expectedBytes, ...usage } = await catalog.usage(appId)
    const expectedFiles =
      model.expected.filter(({ key }) => appOf(key) === appId).length +
      model.graves.filter((grave) => grave.appId === appId && !grave.hadFile).length +
      model.deletions.filter((deletion) => deletion.appId === appId).length
    expectSame(usage, { ...measure(ofApp), expectedFiles }, `the usage of ${appId}`)
    const taken = usage.storedBytes + usage.announcedBytes
    expectThat(taken <= (model.quota ?? Infinity), () => `the quota of ${appId} is exceeded`)
    for (const owner of owners) {
      const used = await catalog.usageOfOwner(appId, owner)
      expectSame(used, measure(ofApp.filter((file) => file.owner === owner)), `the usage of ${owner} in ${appId}`)
      const taken = used.storedBytes + used.announcedBytes
      expectThat(taken <= (model.ownerQuota ?? Infinity), () => `the quota of ${owner} is exceeded`)
    }
  }

  await checkFound(catalog, model)

  for (const key of keys) {
    const grave = model.graves.find((each) => each.key === key && each.appId === "app")
    const expected = grave === undefined ? null : { deletedAt: grave.deletedAt, until: grave.until }
    const found = await catalog.findTombstone("app", key)
    expectSame(found && { deletedAt: found.deletedAt, until: found.until }, expected, `the tombstone of ${key}`)
  }

  if (asked === null) return
  if (asked === "contents") await checkContents(catalog, uploads, model)
  else if ("held" in asked) await checkHeld(catalog, uploads, model, asked)
  else expectSame(await listAll(catalog, asked), listExpected(model, asked), `the list ${JSON.stringify(asked)}`)
}

/** Ends and deletes everything, and makes sure that nothing is left: the next sequence begins with an empty catalog. */
export const clearCatalog = async (catalog: Catalog, model: Model): Promise<void> => {
  const { now, files, expected, graves, deletions } = model
  const later = now + 1_000_000_000_000
  const isOpen = (key: string) =>
    files.some(({ file }) => file.key === key && file.status !== "Deleting") ||
    expected.some((upload) => upload.key === key)
  const open = Map.groupBy(keys.filter(isOpen), appOf)
  await Promise.all(
    Array.from(open, ([appId, ofApp]) =>
      catalog.deleteFiles({ appId, files: ofApp.map((fileKey) => ({ fileKey })), now: later }),
    ),
  )
  const isOwed = files.some(({ event }) => event === "pending")
  const claim = { channel: "callback", now: later, claimedUntil: later, limit: 100 } as const
  const due = isOwed ? await catalog.claimDue(claim) : []
  const went = { startedAt: now, latency: 1, status: 410, error: null, answer: null, outcome: "dead" } as const
  await Promise.all([
    ...due.map(({ id, attempt }) => catalog.recordAttempt({ deliveryId: id, attempt, ...went })),
    ...(await catalog.listReclaimable(100)).map((file) => catalog.reclaimed(file)),
    ...(files.some(({ isCurrent }) => !isCurrent) ? [catalog.prune({ before: later, limit: 100 })] : []),
    ...(deletions.length > 0 ? [catalog.forgetDeletions({ before: later, limit: 100 })] : []),
    ...(open.size + graves.length > 0 ? [catalog.forgetTombstones({ now: later * 2, limit: 100 })] : []),
  ])
  // Rows of every kind count among the bytes of the catalog.
  const nothing = { files: 0, storedBytes: 0, announcedBytes: 0, catalogBytes: 0, expectedFiles: 0, expectedBytes: 0 }
  for (const appId of appIds) expectSame(await catalog.usage(appId), nothing, `what is left of ${appId}`)
}
