import { countCalls } from "../../count-calls.ts"
import { vi } from "vitest"
import { type Catalog, createIngest, createMemoryBlobStore } from "../../../../src/ingest.ts"
import { createFileKey, formatUploadRange, names, signUrl } from "../../../../src/protocol.ts"
import { sealPrefixUrl } from "../../../../src/protocol/signing/prefix-grant.ts"
import { createSealer } from "../../../../src/protocol/signing/seal.ts"
import { apiKey, appId, encodedAppId, sign, signer, token } from "../../circle.ts"
import { expectSame, type Move } from "./command.ts"
import type { Upload } from "./given.ts"
import {
  createModel,
  customIds,
  findByCustomId,
  findByPath,
  findCurrent,
  isReadable,
  type Kept,
  measure,
  type Model,
  owners,
  sweepAll,
  toStatus,
} from "./model.ts"

const url = "http://ingest.test"
const sealer = createSealer(apiKey)
const keys = ["a", "b", "c"]

/** The bytes of a file: other ones than those of the files before it. */
const contentOf = (number: number, size: number): string =>
  String.fromCharCode(...Array.from({ length: size }, (_, i) => 97 + ((number + i) % 26)))

/** An ingest that is asked by requests, with no socket between. */
export interface Door {
  /** The key of a file that the model knows by a shorter one, and the other way round. */
  readonly toKey: (name: string) => string
  readonly toName: (key: string) => string
  /** A call of the REST API. */
  readonly call: <Answer>(operation: string, body: object) => Promise<Answer>
  /** Sends what is missing of a file, or half of that. Returns what became of it. */
  readonly send: (upload: Upload, number: number, isWhole: boolean) => Promise<string>
  readonly read: (path: string, how?: { readonly method?: string; readonly range?: string }) => Promise<Response>
}

const openDoor = (catalog: Catalog, quota: number | undefined) => {
  let calls = 0
  const counted = countCalls(catalog, (added) => (calls += added))
  const ingest = createIngest({
    token,
    url,
    logLevel: "None",
    quota,
    defaultAcl: "public-read",
    sweepInterval: 1_000_000_000,
    fetch: async () => new Response(null, { status: 200 }),
    store: createMemoryBlobStore(),
    catalog: counted,
  })
  const toKey = (name: string) => createFileKey(encodedAppId, name)
  const known = new Map(keys.map((name) => [toKey(name), name]))
  /** How much of each file has arrived. */
  const offsets = new Map<number, number>()

  const door: Door = {
    toKey,
    toName: (key) => known.get(key) ?? key,
    call: async (operation, body) => {
      const headers = { "content-type": "application/json", [names.header.apiKey]: apiKey }
      const request = new Request(`${url}/${names.path.api}/${operation}`, {
        method: "POST",
        headers,
        body: JSON.stringify(body),
      })
      return (await ingest.fetch(request)).json()
    },
    send: async ({ grant, labels, registration }, number, isWhole) => {
      const { size, slug } = grant
      const key = toKey(grant.key)
      const [seal, sealed] = await Promise.all([
        registration && sealer.seal(JSON.stringify(registration), { appId, slug: slug! }),
        sealer.seal(JSON.stringify(labels), { appId, fileKey: key }),
      ])
      const start = offsets.get(number) ?? 0
      const end = isWhole ? size : start + Math.floor((size - start) / 2)
      const response = await ingest.fetch(
        new Request(await sign(url, { ...grant, key, appId, seal, labels: sealed }), {
          method: "PUT",
          body: contentOf(number, size).slice(start, end),
          headers: { range: formatUploadRange(start), "content-type": "application/octet-stream" },
        }),
      )
      const { code, detail } = await response.json()
      if (response.status === 200) return "finished"
      if (code === "RANGE_MISMATCH") {
        offsets.set(number, end)
        return response.headers.get(names.header.rangeStart) === String(end) ? "granted" : "at another offset"
      }
      if (code === "BAD_REQUEST" && response.status === 409) return "taken"
      if (code === "NOT_FOUND") return "deleted"
      if (code === "REJECTED") return "failed"
      // What is larger than all of a quota is told so.
      if (code === "FILE_TOO_LARGE") return detail.includes("storage of its owner") ? "overOwnerQuota" : "overQuota"
      if (code === "QUOTA_EXCEEDED") return detail.includes("quota of the owner") ? "overOwnerQuota" : "overQuota"
      return `${response.status} ${code}`
    },
    read: async (path, { method = "GET", range } = {}) =>
      ingest.fetch(new Request(url + path, { method, headers: range === undefined ? {} : { range } })),
  }

  return {
    door,
    close: ingest.close,
    /** Until nothing is under way but what waits for a clock. */
    settle: async () => {
      for (let idle = 0; idle < 4; idle++) {
        await new Promise((resolve) => setImmediate(resolve))
        if (calls > 0) idle = 0
      }
    },
  }
}

/** What a read must give: a status, and the bytes of a 200. */
const expectRead = async (response: Response, status: number, body: string | undefined, what: string) => {
  const found = [response.status, body === undefined ? undefined : await response.text()]
  expectSame(found, [status, body], what)
}

/** Reads everything in every way, and compares with what the model knows. */
const checkReads = async ({ read, call, toKey, toName }: Door, model: Model): Promise<void> => {
  const signed = async (path: string) =>
    (await signUrl(`${url}${path}?${names.query.expires}=${model.now + 60_000}`, signer)).slice(url.length)
  const readByAnybody = (kept: Kept) => (kept.file.claimBy === null && kept.file.acl !== "private" ? 200 : 403)
  const bodyOf = ({ number, file }: Kept) => contentOf(number, file.size)

  for (const name of keys) {
    const path = `/f/${toKey(name)}`
    const kept = findCurrent(model, name)
    const isThere = kept !== undefined && isReadable(kept, model.now)
    const open = isThere ? readByAnybody(kept) : 404
    for (const address of [path, `/a/${appId}/${toKey(name)}`])
      await expectRead(
        await read(address),
        open,
        open === 200 ? bodyOf(kept!) : undefined,
        `${name} without a signature`,
      )
    const withRight = await signed(path)
    await expectRead(await read(withRight), isThere ? 200 : 404, isThere ? bodyOf(kept) : undefined, `${name} signed`)
    const head = await read(withRight, { method: "HEAD" })
    const length = isThere ? String(kept.file.size) : null
    expectSame([head.status, isThere ? head.headers.get("content-length") : null], [isThere ? 200 : 404, length], name)
    const part = await read(withRight, { range: "bytes=1-2" })
    const hasPart = isThere && kept.file.size > 1
    const status = isThere ? (hasPart ? 206 : 416) : 404
    await expectRead(part, status, hasPart ? bodyOf(kept).slice(1, 3) : undefined, `a part of ${name}`)
  }

  for (const owner of [undefined, owners[0]]) {
    const grant = { prefix: "a/", owner, expires: model.now + 60_000 }
    const base = (await sealPrefixUrl(url, appId, grant, sealer)).slice(url.length)
    for (const path of ["a/b", "a/c"]) {
      const kept = findByPath(model, "app", path, owner)
      const response = await read(base + path.slice(2))
      await expectRead(
        response,
        kept ? 200 : 404,
        kept && bodyOf(kept),
        `${path} of ${owner ?? "anybody"}, by its prefix`,
      )
    }
  }

  for (const customId of customIds) {
    const kept = findByCustomId(model, "app", customId, "readable")
    const open = kept === undefined ? 404 : readByAnybody(kept)
    const path = `/a/${appId}/${customId}`
    await expectRead(await read(path), open, open === 200 ? bodyOf(kept!) : undefined, `the custom id ${customId}`)
    const response = await read(await signed(path))
    await expectRead(
      response,
      kept === undefined ? 404 : 200,
      kept && bodyOf(kept),
      `the custom id ${customId}, signed`,
    )
    const access = await call<{ url?: string; code?: string }>("requestFileAccess", { customId })
    const expected = kept === undefined ? "NOT_FOUND" : `/f/${toKey(kept.file.key)}`
    expectSame(access.code ?? access.url!.slice(url.length).split("?")[0], expected, `access to ${customId}`)
  }

  const current = model.files.filter(({ isCurrent }) => isCurrent).toReversed()
  const listed = await call<{ files: ReadonlyArray<Record<string, unknown>> }>("listFiles", {})
  expectSame(
    listed.files.map(({ key, status, owner, path }) => [toName(key as string), status, owner, path]),
    current.map((kept) => [kept.file.key, toStatus(kept), kept.file.owner, kept.file.path]),
    "the list of files",
  )
  for (const owner of owners) {
    const { files, storedBytes } = measure(model.files.map(({ file }) => file).filter((file) => file.owner === owner))
    const usage = await call<{ totalBytes: number; filesUploaded: number }>("getUsageInfo", { owner })
    expectSame([usage.totalBytes, usage.filesUploaded], [storedBytes, files], `the usage of ${owner}`)
  }
}

/** Whether a sweep has come by since a file's time has passed is the ingest's own business: here it has, after each step. */
const sweep = async (catalog: Catalog, { now }: Model): Promise<void> => {
  await catalog.deleteOverdue({ now, limit: 100 })
  for (const file of await catalog.listReclaimable(100)) await catalog.reclaimed(file)
}

/** Does a sequence at the door of an ingest that has nothing yet, and reads everything after each step. */
export const playAtDoor = async (
  catalog: Catalog,
  [quotas, moves]: readonly [Pick<Model, "quota" | "ownerQuota">, ReadonlyArray<Move<Door>>],
): Promise<void> => {
  let model = createModel(quotas)
  vi.setSystemTime(model.now)
  const { door, settle, close } = openDoor(catalog, quotas.quota)
  try {
    for (const move of moves) {
      const before = model.now
      model = await move.take(door, model)
      await settle()
      vi.setSystemTime(model.now)
      if (model.now === before) {
        await sweep(catalog, model)
        model = sweepAll(model)
      }
      await checkReads(door, model)
    }
  } finally {
    await close()
  }
}
