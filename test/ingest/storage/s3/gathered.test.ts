import { randomBytes } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { createS3BlobStore } from "../../../../src/ingest/storage/s3/blob-s3.ts"
import { createGatherer } from "../../../../src/ingest/storage/s3/gathered.ts"
import { createMemoryBlobJournal } from "../../../../src/ingest/storage/s3/journal/memory.ts"
import { mountTmpfs } from "../../../mount-tmpfs.ts"
import { chunksOf } from "./drive-store.ts"
import { startDouble } from "./start-double.ts"

const mebibyte = 1024 * 1024

const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-gathered-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

describe("what is gathered beyond the memory", () => {
  it("is read back within the memory, as many parts at a time as fit", async () => {
    const gatherer = createGatherer(await makeFolder(), 8 * mebibyte)
    const parts = Array.from({ length: 12 }, () => gatherer.begin())
    const content = randomBytes(mebibyte)
    for (const part of parts) await part.add(content)
    let lent = 0
    let most = 0
    let spilled = 0
    await Promise.all(
      parts.map((part) =>
        part.lend(async (pieces) => {
          // What is in memory begins with a small block.
          if (pieces[0]!.length < 256 * 1024) return
          spilled++
          most = Math.max(most, (lent += part.length()))
          await sleep(5)
          expect(Buffer.compare(Buffer.concat(pieces), content)).toBe(0)
          lent -= part.length()
        }),
      ),
    )
    expect(spilled).toBe(6)
    expect(most).toBe(2 * mebibyte)
    for (const part of parts) await part.drop()
  })

  it("is read back alone where it is larger than that, and in its turn", async () => {
    const gatherer = createGatherer(await makeFolder(), 1000)
    const order: Array<number> = []
    const sizes = [100_000, 50, 1_200_000, 50]
    let lent = 0
    await Promise.all(
      sizes.map(async (size) => {
        const part = gatherer.begin()
        const content = randomBytes(size)
        await part.add(content)
        await part.lend(async (pieces) => {
          order.push(size)
          lent += size
          await sleep(5)
          expect(Buffer.compare(Buffer.concat(pieces), content)).toBe(0)
          // Two small ones have room beside each other.
          expect(lent).toBeLessThanOrEqual(Math.max(size, 1000))
          lent -= size
        })
        await part.drop()
      }),
    )
    expect(new Set(order)).toEqual(new Set(sizes))
  })

  it("is what it was where its memory was used before", async () => {
    const gatherer = createGatherer(await makeFolder(), 8 * mebibyte)
    for (let round = 0; round < 4; round++) {
      const contents = Array.from({ length: 10 }, () => randomBytes(mebibyte + round))
      const parts = contents.map(() => gatherer.begin())
      for (const [index, part] of parts.entries()) await part.add(contents[index]!)
      for (const [index, part] of parts.entries()) {
        await part.lend(async (pieces) => expect(Buffer.compare(Buffer.concat(pieces), contents[index]!)).toBe(0))
        await part.drop()
      }
    }
  })

  it("says of a full local disk that it is that one, and not the bucket", async (context) => {
    const folder = await makeFolder()
    mountTmpfs(context, folder, "size=1m")
    const double = await startDouble()
    const store = createS3BlobStore(
      { ...double.settings, journal: createMemoryBlobJournal(), spill: folder },
      { firstWait: 1, memory: 100_000 },
    )
    onTestFinished(async () => {
      await store.close()
      await double.close()
    })
    const size = 4 * mebibyte
    const append = () => store.append("key.1", { epoch: 1, offset: 0, size, body: chunksOf(randomBytes(size)) })
    await expect(append()).rejects.toMatchObject({
      reason: "full",
      message: `The local disk of ${folder} is full: parts that have no room in memory go there.`,
    })
    // Nothing of it is left there: there is room for a file of others.
    await writeFile(join(folder, "other"), new Uint8Array(900_000))
  })
})
