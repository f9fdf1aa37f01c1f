import { DatabaseSync } from "node:sqlite"
import type { FilePage, UsageInfo } from "../../src/protocol.ts"
import { median } from "../statistics.ts"
import { albums, appId, owner } from "./fill-catalog.ts"
import { openRest } from "./rest.ts"

/**
 * One process measures what is asked by owner and path, over one catalog that it leaves as it was:
 * `node labels.ts <catalog> <files>`. Prints µs a call, medians.
 */
const [, , file = "", count = ""] = process.argv
const files = Number(count)

/** How long the flushes of the call that is measured took, ms. */
let flushing = 0
const fs = process.getBuiltinModule("node:fs")
const { fdatasync } = fs
fs.fdatasync = ((descriptor: number, done: (cause: NodeJS.ErrnoException | null) => void) => {
  const started = performance.now()
  fdatasync(descriptor, (cause) => {
    flushing += performance.now() - started
    done(cause)
  })
}) as typeof fdatasync

const { call, close } = openRest(file)

/** µs a call takes with and without its flushes, medians of many. */
const time = async (work: () => Promise<unknown>, turns: number, prepare: () => void = () => {}) => {
  const [whole, withoutFlush]: [Array<number>, Array<number>] = [[], []]
  for (let turn = 0; turn < turns; turn++) {
    prepare()
    flushing = 0
    const started = performance.now()
    await work()
    const taken = performance.now() - started
    whole.push(taken * 1000)
    withoutFlush.push((taken - flushing) * 1000)
  }
  const warmUp = Math.ceil(turns / 6)
  return { whole: median(whole.slice(warmUp)), withoutFlush: median(withoutFlush.slice(warmUp)) }
}

const pageSize = 500

const page = async (request: object): Promise<FilePage> => {
  const found = await call<FilePage>("listFiles", { owner, prefix: albums, limit: pageSize, ...request })
  if (found.files.length !== pageSize) throw new Error(`A page of ${found.files.length} files`)
  return found
}

const database = new DatabaseSync(file)
database.exec("PRAGMA busy_timeout = 5000")

/** The cursor with which the last full page begins: that of the file before its first one. */
const findLast = (): string => {
  const row = database
    .prepare(
      `SELECT id, path FROM files WHERE app_id = ? AND owner = ? AND path GLOB ? || '*' AND is_current = 1
      ORDER BY path DESC LIMIT 1 OFFSET ${pageSize}`,
    )
    .get(appId, owner, albums) as { id: number; path: string }
  return `${row.id}.${Buffer.from(row.path).toString("base64url")}`
}

/** A thousand stored files of the app: the newest ones, as whoever has just uploaded claims them, or as far apart as can be. */
const choose = (which: "newest" | "spread"): ReadonlyArray<{ readonly id: number; readonly key: string }> => {
  const stored = database
    .prepare("SELECT id, key FROM files WHERE app_id = ? AND status = 'Uploaded' ORDER BY id DESC")
    .all(appId) as unknown as ReadonlyArray<{ readonly id: number; readonly key: string }>
  const step = which === "newest" ? 1 : Math.floor(stored.length / 1000)
  const chosen = stored.filter((_, index) => index % step === 0).slice(0, 1000)
  if (chosen.length < 1000) throw new Error(`Only ${chosen.length} of ${files} files are stored.`)
  return chosen
}

const wait = database.prepare("UPDATE files SET claim_within = 86400000, claim_by = 4000000000000 WHERE id = ?")

const timeClaim = (which: "newest" | "spread") => {
  const some = choose(which)
  const fileKeys = some.map(({ key }) => key)
  const prepare = () => {
    database.exec("BEGIN IMMEDIATE")
    for (const { id } of some) wait.run(id)
    database.exec("COMMIT")
  }
  return time(() => call("claimFiles", { fileKeys }), 12, prepare)
}

const last = findLast()
const first = await time(() => page({}), 30)
const firstUploaded = await time(() => page({ status: "Uploaded" }), 30)
const lastPage = await time(() => page({ cursor: last }), 30)
const usage = await time(async () => {
  const { filesUploaded } = await call<UsageInfo>("getUsageInfo", { owner })
  if (filesUploaded < pageSize) throw new Error(`${filesUploaded} files of the owner`)
}, 100)
const claim = await timeClaim("newest")
const spread = await timeClaim("spread")
database.close()
await close()
console.log(
  JSON.stringify({
    first: first.whole,
    firstUploaded: firstUploaded.whole,
    last: lastPage.whole,
    usage: usage.whole,
    claim: claim.whole,
    claimWork: claim.withoutFlush,
    spread: spread.whole,
    spreadWork: spread.withoutFlush,
  }),
)
process.exit(0)
