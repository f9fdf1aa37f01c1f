import { expect, it } from "vitest"
import { createBlobsInProgress } from "../../../../src/ingest/storage/s3/blobs-in-progress.ts"
import { createMemoryBlobJournal } from "../../../../src/ingest/storage/s3/journal/memory.ts"

const create = () => createBlobsInProgress(createMemoryBlobJournal(), () => {}, 3)

it("knows as many blobs as that many that nobody works on, those that were worked on last", async () => {
  const blobs = create()
  for (const key of ["a", "b", "c"]) await blobs.use(key, 1, async () => {})
  await blobs.use("a", 1, async () => {})
  await blobs.use("d", 1, async () => {})
  expect(["a", "b", "c", "d"].filter((key) => blobs.find(key) !== undefined)).toEqual(["a", "c", "d"])
})

it("forgets none that is worked on, nor one that stores something", async () => {
  const blobs = create()
  const going = Promise.withResolvers<void>()
  const writers = ["a", "b"].map((key) => blobs.use(key, 1, () => going.promise))
  const stored = blobs.use("c", 1, async ({ run }) => void run(() => going.promise))
  await stored
  for (const key of ["d", "e", "f"]) await blobs.use(key, 1, async () => {})
  const isKnown = (key: string) => blobs.find(key) !== undefined
  expect(["a", "b", "c", "d", "e", "f"].filter(isKnown)).toEqual(["a", "b", "c"])
  going.resolve()
  await Promise.all(writers)
  await blobs.use("g", 1, async () => {})
  expect(["a", "b", "c", "g"].filter(isKnown)).toHaveLength(3)
  expect(isKnown("g")).toBe(true)
})

it("knows of a blob that it has forgotten what the journal has", async () => {
  const blobs = create()
  await blobs.use("a", 1, async ({ claim, note }) => {
    await claim()
    await note({ offset: 5 })
  })
  for (const key of ["b", "c", "d"]) await blobs.use(key, 1, async () => {})
  expect(blobs.find("a")).toBeUndefined()
  await blobs.use("a", 2, async ({ know }) => expect(await know()).toMatchObject({ offset: 5 }))
  await expect(blobs.use("a", 1, async () => {})).rejects.toMatchObject({ reason: "fenced" })
})
