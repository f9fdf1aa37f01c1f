import { stat, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { shortenSpareRoom } from "../../src/cli/backup/shorten-spare-room.ts"
import { createSpareRoom } from "../../src/ingest/storage/sqlite/spare-room.ts"
import { makeFolder } from "../make-folder.ts"

it("however often a backup needs some of the spare room, half of it is left for the catalog", async () => {
  const folder = await makeFolder()
  const file = join(folder, "spare-room")
  createSpareRoom(folder).keep(Infinity)
  const sizeOf = async () => (await stat(file).catch(() => undefined))?.size
  await expect.poll(sizeOf).toBe(4 * 1024 * 1024)
  let times = 0
  while (shortenSpareRoom(folder)) times++
  expect(times).toBe(32)
  expect(await sizeOf()).toBe(2 * 1024 * 1024)
})

it("a spare room that a disk without room has left short gives up nothing", async () => {
  const folder = await makeFolder()
  await writeFile(join(folder, "spare-room"), new Uint8Array(100_000))
  expect(shortenSpareRoom(folder)).toBe(false)
  expect(shortenSpareRoom(await makeFolder())).toBe(false)
})
