import type { FileHandle } from "node:fs/promises"
import { expect, it } from "vitest"
import { appendBody } from "../../../../src/ingest/storage/disk/append.ts"

const megabyte = 1024 * 1024

const options = { isDisposable: false, admit: () => {}, onWritten: () => {}, cutOff: async () => {} }

/** A file on a disk that fails the flushes of these numbers, from 1. */
const createDisk = (...failing: ReadonlyArray<number>) => {
  let flushes = 0
  let cuts = 0
  const handle = {
    write: async (chunk: Uint8Array) => ({ bytesWritten: chunk.length }),
    writev: async (chunks: ReadonlyArray<Uint8Array>) => ({
      bytesWritten: chunks.reduce((sum, { length }) => sum + length, 0),
    }),
    datasync: async () => {
      if (failing.includes(++flushes)) throw new Error(`flush ${flushes} failed`)
    },
  }
  const cutOff = async () => void cuts++
  return {
    cuts: () => cuts,
    options: { ...options, cutOff },
    handle: handle as unknown as FileHandle,
    flushes: () => flushes,
  }
}

async function* bodyOf(megabytes: number, end?: Error) {
  for (let i = 0; i < megabytes; i++) yield new Uint8Array(megabyte)
  if (end !== undefined) throw end
}

it("flushes while a long body arrives, and at its end", async () => {
  const disk = createDisk()
  expect(await appendBody(disk.handle, 0, bodyOf(16), options)).toEqual({ offset: 16 * megabyte })
  expect(disk.flushes()).toBeGreaterThan(2)
})

it("fails where any flush did, also one before the last", async () => {
  await expect(appendBody(createDisk(1).handle, 0, bodyOf(16), options)).rejects.toThrow("flush 1 failed")
  await expect(appendBody(createDisk(2).handle, 0, bodyOf(16), options)).rejects.toThrow("flush 2 failed")
  const cut = bodyOf(16, new Error("the client left"))
  await expect(appendBody(createDisk(1).handle, 0, cut, options)).rejects.toThrow("flush 1 failed")
  await expect(appendBody(createDisk(1).handle, 0, bodyOf(1), options)).rejects.toThrow("flush 1 failed")
})

it("gives up what a failed flush was for, as it may look written and not be", async () => {
  const disk = createDisk(1)
  await expect(appendBody(disk.handle, 3 * megabyte, bodyOf(4), disk.options)).rejects.toThrow("flush 1 failed")
  expect(disk.cuts()).toBe(1)
  const sound = createDisk()
  await appendBody(sound.handle, 3 * megabyte, bodyOf(4), sound.options)
  expect(sound.cuts()).toBe(0)
})

it("gives it up also when the append then fails for another reason", async () => {
  const disk = createDisk(1)
  const fenced = () => {
    if (disk.flushes() > 0) throw new Error("fenced off")
  }
  await expect(appendBody(disk.handle, 0, bodyOf(32), { ...disk.options, admit: fenced })).rejects.toThrow()
  expect(disk.cuts()).toBe(1)
})

it("flushes what came before a body broke off", async () => {
  const disk = createDisk()
  const appended = await appendBody(disk.handle, 0, bodyOf(1, new Error("the client left")), options)
  expect(appended).toMatchObject({ offset: megabyte, brokenOff: {} })
  expect(disk.flushes()).toBe(1)
})
