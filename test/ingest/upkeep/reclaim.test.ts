import * as Effect from "effect/Effect"
import { describe, expect, it, onTestFinished } from "vitest"
import { createLogContext } from "../../../src/server-kit/logging.ts"
import { BlobStoreError, createMemoryBlobStore, createMemoryCatalog } from "../../../src/ingest.ts"
import { createReclaimer } from "../../../src/ingest/upkeep/reclaim.ts"
import type { Service } from "../../../src/ingest/service.ts"
import { createWriters } from "../../../src/ingest/upload/writers.ts"
import { catalogs, createGrant } from "../circle.ts"
import { captureConsole } from "../capture-console.ts"

const minute = 60_000

/** A reclaimer over so many deleted files, whose clock stands still and whose store removes what `isStuck` lets it. */
const createHouse = async (files: number, isStuck: (key: string) => boolean) => {
  const catalog = createMemoryCatalog({ largestContent: 0 })
  const keys: Array<string> = []
  for (let i = 0; i < files; i++) {
    const grant = createGrant()
    await catalog.begin({ grant, origin: "http://x", now: 0 })
    await catalog.deleteFiles({ appId: grant.appId, files: [{ fileKey: grant.key }], now: 0 })
    keys.push(grant.key)
  }
  const clock = { now: 0 }
  let tries: Array<string> = []
  const store = {
    ...createMemoryBlobStore(),
    remove: async (name: string) => {
      const key = keys.find((each) => name.startsWith(each))!
      tries.push(key)
      if (isStuck(key)) throw new BlobStoreError("io", "The disk failed.")
    },
  }
  const logged = captureConsole()
  const service = {
    catalog,
    store,
    writers: createWriters(),
    settings: { sweepInterval: 10 * minute },
    now: () => 0,
  } as unknown as Service
  const reclaim = createReclaimer(service, undefined, () => clock.now)
  const run = Effect.runPromiseWith(createLogContext("Info", "text"))
  return {
    keys,
    logged,
    /** A sweep at a moment; gives the files it tried to remove. */
    sweepAt: async (now: number): Promise<ReadonlyArray<string>> => {
      clock.now = now
      tries = []
      await run(reclaim)
      return tries
    },
  }
}

describe("a file whose bytes cannot be removed", () => {
  it("is tried again, each time later, and logged when it fails first", async () => {
    let isBroken = true
    const { keys, logged, sweepAt } = await createHouse(1, () => isBroken)
    const tried: Array<number> = []
    for (let at = 0; at <= 320; at += 5) if ((await sweepAt(at * minute)).length > 0) tried.push(at)
    expect(tried).toEqual([0, 10, 30, 70, 150, 310])
    expect(logged).toHaveLength(1)
    expect(logged[0]).toContain(`key=${keys[0]} count=1`)
    expect(logged[0]).toContain("The disk failed.")
    isBroken = false
    expect(await sweepAt(3000 * minute)).toEqual(keys)
    expect(await sweepAt(9000 * minute)).toEqual([])
    expect(logged).toEqual([logged[0], expect.stringMatching(/before are removed\. count=1$/)])
  })

  it("is tried at least once a day", async () => {
    const { sweepAt } = await createHouse(1, () => true)
    for (let day = 0; day < 40; day++) await sweepAt(day * 24 * 60 * minute)
    expect(await sweepAt(41 * 24 * 60 * minute)).toHaveLength(1)
  })

  it("keeps no other from its turn, however many there are", async () => {
    const { keys, sweepAt, logged } = await createHouse(2350, (key) => key !== keys.at(-1))
    const tried = new Set<string>()
    for (let sweep = 0; sweep < 3; sweep++) for (const key of await sweepAt(sweep)) tried.add(key)
    expect(tried.size).toBe(2350)
    expect(logged).toHaveLength(3)
  })
})

it.each(catalogs)(
  "bytes of a deleted file that had one writer are removed as such: catalog %s",
  async (_, openCatalog) => {
    const catalog = openCatalog()
    onTestFinished(() => catalog.close())
    const grant = createGrant({ size: 3 })
    expect(await catalog.begin({ grant, origin: "http://x", now: 0 })).toMatchObject({ epoch: 1 })
    await catalog.deleteFiles({ appId: grant.appId, files: [{ fileKey: grant.key }], now: 1 })
    expect(await catalog.listReclaimable(10)).toMatchObject([{ key: grant.key, lastEpoch: 1 }])
  },
)
