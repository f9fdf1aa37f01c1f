import { mkdir, readdir, rm, rmdir } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { createSqliteCatalog } from "../../src/ingest.ts"
import { names } from "../../src/protocol.ts"
import { eventually, putRaw } from "../ingest/circle.ts"
import { startRealIngest } from "./running-ingest.ts"

const stuck = 150
const count = stuck + 20

/** The blobs of a data folder, finished or not, and whatever is in the place of one. */
const listBlobs = async (data: string): Promise<ReadonlyArray<string>> => {
  const shards = await readdir(join(data, "files"))
  const found = await Promise.all(
    shards.map(async (shard) =>
      (await readdir(join(data, "files", shard))).map((name) => join(data, "files", shard, name)),
    ),
  )
  return found.flat()
}

it("blobs that cannot be removed keep no others, are logged once, and are removed when that works again", async () => {
  const ingest = await startRealIngest(["--largest-content", "0", "--sweep-interval", "1s"])
  const { url, data, apiKey, sign, printed } = ingest
  const keys: Array<string> = []
  for (let i = 0; i < count; i++) {
    const { key, signed } = await sign()
    expect((await putRaw(signed, "hello")).status).toBe(200)
    keys.push(key)
    // A folder in the place of a blob cannot be removed as a file; not by root either.
    if (keys.length !== stuck) continue
    for (const path of await listBlobs(data)) {
      await rm(path)
      await mkdir(path)
    }
  }
  const response = await fetch(`${url}/${names.path.api}/deleteFiles`, {
    method: "POST",
    headers: { [names.header.apiKey]: apiKey, "content-type": "application/json" },
    body: JSON.stringify({ fileKeys: keys }),
  })
  expect(await response.json()).toMatchObject({ deletedCount: count })
  await eventually(async () => (await listBlobs(data)).length === stuck)

  // Some sweeps more, each with something new to remove.
  for (let sweep = 0; sweep < 3; sweep++) {
    const { key, signed } = await sign()
    await putRaw(signed, "hello")
    await fetch(`${url}/${names.path.api}/deleteFiles`, {
      method: "POST",
      headers: { [names.header.apiKey]: apiKey, "content-type": "application/json" },
      body: JSON.stringify({ fileKeys: [key] }),
    })
    await eventually(async () => (await listBlobs(data)).length === stuck)
  }
  const countTold = (): number => {
    const { stdout, stderr } = printed()
    const told = (stdout + stderr).split("\n").filter((line) => line.includes("could not be removed"))
    return told.map((line) => JSON.parse(line).count as number).reduce((sum, each) => sum + each, 0)
  }
  await eventually(() => countTold() >= stuck)
  expect(countTold()).toBe(stuck)

  for (const path of await listBlobs(data)) await rmdir(path)
  const catalog = createSqliteCatalog({ file: join(data, "catalog.sqlite") })
  try {
    await eventually(async () => (await catalog.listReclaimable(1)).length === 0)
  } finally {
    await catalog.close()
  }
  await eventually(() => printed().stdout.includes("could not be removed before are removed"))
})
