import { cpSync, mkdtempSync, rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { encodeAppId, type FilePage } from "../../src/protocol.ts"
import { median } from "../statistics.ts"
import { appId, keyOf } from "./fill-catalog.ts"
import { openRest } from "./rest.ts"

/** One process measures the REST API over one catalog: `node measure.ts <catalog> <files>`. Prints µs a call, medians. */
const [, , filled = "", count = ""] = process.argv
const files = Number(count)

const folder = mkdtempSync(join(dirname(filled), "run-"))
const file = join(folder, "catalog.sqlite")
cpSync(filled, file)

const prefix = encodeAppId(appId)
const { call, close } = openRest(file)

/** µs a call takes, the median of many. */
const time = async (work: (turn: number) => Promise<unknown>, turns = 60): Promise<number> => {
  const times: Array<number> = []
  for (let turn = 0; turn < turns; turn++) {
    const started = performance.now()
    await work(turn)
    times.push((performance.now() - started) * 1000)
  }
  return median(times.slice(turns / 6))
}

const page = async (request: object, expected: number): Promise<void> => {
  const found = await call<FilePage>("listFiles", { ...request, limit: expected })
  if (found.files.length !== expected)
    throw new Error(`A page of ${found.files.length} files: ${JSON.stringify(request)}`)
}

// Files that no two turns share.
const some = (turn: number, size = 10) =>
  Array.from({ length: size }, (_, i) => keyOf(prefix, Math.floor(files / 4) + turn * size + i + 1))

const [middle] = (await call<FilePage>("listFiles", { limit: 1, offset: Math.floor(files / 2) })).files
const database = new DatabaseSync(file, { readOnly: true })
const scan = database.prepare("SELECT count(*), sum(size) FROM files WHERE app_id = ? AND status = 'Uploaded'")

const figures = {
  first: await time(() => page({}, 10)),
  middle: await time(() => page({ cursor: middle!.id }, 10)),
  last: await time(() => page({ cursor: "21" }, 10)),
  failed: await time(() => page({ status: "Failed" }, 10)),
  uploadingMiddle: await time(() => page({ status: "Uploading", cursor: middle!.id }, 3)),
  offset: await time(() => page({ offset: Math.floor(files / 2) }, 10), 12),
  usage: await time(() => call("getUsageInfo")),
  scan: await time(async () => scan.get(appId), 12),
  access: await time((turn) => call("requestFileAccess", { fileKey: keyOf(prefix, turn + 101) }), 48),
  rename: await time((turn) =>
    call("renameFiles", { updates: some(turn, 5).map((fileKey) => ({ fileKey, newName: "new.jpg" })) }),
  ),
  remove: await time((turn) => call("deleteFiles", { fileKeys: some(turn, 5) })),
}
database.close()
await close()
rmSync(folder, { recursive: true })
console.log(JSON.stringify(figures))
process.exit(0)
