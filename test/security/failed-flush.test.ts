import { createHash } from "node:crypto"
import { readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import { offsetOf, putRaw, randomContent } from "../ingest/circle.ts"
import { makeFolder } from "../make-folder.ts"
import { preload, startRealIngest } from "./running-ingest.ts"

/**
 * A disk whose calls fail with EIO for as long as `$FAULTS/<name of the call>` exists, all but the first ones: as many as
 * the file has bytes. Those that do not fail are noted in `$FAULTS/done`.
 */
const faultyDisk = preload(`
  import { appendFileSync, readlinkSync, statSync } from "node:fs"
  import { open } from "node:fs/promises"
  const handle = await open(process.execPath)
  const prototype = Object.getPrototypeOf(handle)
  await handle.close()
  for (const name of ["datasync", "sync", "truncate"]) {
    const original = prototype[name]
    let calls = 0
    prototype[name] = async function (...args) {
      const fault = statSync(process.env.FAULTS + "/" + name, { throwIfNoEntry: false })
      if (fault === undefined || calls++ < fault.size) {
        const path = readlinkSync("/proc/self/fd/" + this.fd)
        if (path.includes("/files")) appendFileSync(process.env.FAULTS + "/done", name + "\\n")
        return original.apply(this, args)
      }
      throw Object.assign(new Error("EIO: i/o error, " + name), { code: "EIO", syscall: name })
    }
  }
`)

type Call = "datasync" | "sync" | "truncate"

const startOnFaultyDisk = async () => {
  const faults = await makeFolder()
  const ingest = await startRealIngest([], { execArgv: faultyDisk, env: { FAULTS: faults } })
  return {
    ...ingest,
    /** How often a call has worked on what is in the folder of the blobs. */
    count: async (call: Call): Promise<number> =>
      (await readFile(join(faults, "done"), "utf8")).split("\n").filter((line) => line === call).length,
    failAfter: (call: Call, calls: number) => writeFile(join(faults, call), "x".repeat(calls)),
    fail: async (...calls: ReadonlyArray<Call>) => {
      for (const call of calls) await writeFile(join(faults, call), "")
    },
    mend: async (...calls: ReadonlyArray<Call>) => {
      for (const call of calls) await rm(join(faults, call))
    },
  }
}

const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex")

const sizes = { file: 1_000_000, part: 300_000 }

/** Sends all of a file from byte 0, and checks what the ingest then has. */
const expectStored = async (signed: string, content: Uint8Array<ArrayBuffer>): Promise<void> => {
  const response = await putRaw(signed, content)
  expect(response.status).toBe(200)
  const { fileHash, url } = (await response.json()) as { readonly fileHash: string; readonly url: string }
  expect(fileHash).toBe(sha256(content))
  expect(sha256(new Uint8Array(await (await fetch(url)).arrayBuffer()))).toBe(sha256(content))
}

it("after a flush that failed an upload begins anew, and its hash is that of the bytes it has then", async () => {
  const { sign, fail, mend } = await startOnFaultyDisk()
  for (let i = 0; i < 5; i++) {
    const { signed } = await sign({ size: sizes.file })
    await fail("datasync")
    expect((await putRaw(signed, randomContent(sizes.part))).status).toBe(503)
    await mend("datasync")
    expect(await offsetOf(signed)).toBe(0)
    await expectStored(signed, randomContent(sizes.file))
  }
})

it("after a flush that failed an upload goes on from what was flushed before", async () => {
  const { sign, fail, mend } = await startOnFaultyDisk()
  const { signed } = await sign({ size: sizes.file })
  const content = randomContent(sizes.file)
  expect((await putRaw(signed, content.subarray(0, sizes.part))).status).toBe(409)
  await fail("datasync")
  expect((await putRaw(signed, randomContent(2 * sizes.part), sizes.part)).status).toBe(503)
  await mend("datasync")
  expect(await offsetOf(signed)).toBe(sizes.part)
  const response = await putRaw(signed, content.subarray(sizes.part), sizes.part)
  expect(await response.json()).toMatchObject({ fileHash: sha256(content) })
})

it("bytes in doubt that cannot be cut off are no part of the file, whoever asks for it", async () => {
  const { sign, fail, mend } = await startOnFaultyDisk()
  const { signed } = await sign({ size: sizes.file })
  await fail("datasync", "truncate")
  expect((await putRaw(signed, randomContent(sizes.part))).status).toBe(503)
  // The system has told of the loss, and would not again.
  await mend("datasync")
  expect((await fetch(signed, { method: "HEAD" })).status).toBe(503)
  expect((await putRaw(signed, new Uint8Array(sizes.file - sizes.part), sizes.part)).status).toBe(503)
  await mend("truncate")
  expect(await offsetOf(signed)).toBe(0)
  await expectStored(signed, randomContent(sizes.file))
})

it("a flush that fails when an upload is resumed costs what no earlier one has covered", async () => {
  const { sign, fail, mend } = await startOnFaultyDisk()
  const { signed } = await sign({ size: sizes.file })
  expect((await putRaw(signed, randomContent(sizes.part))).status).toBe(409)
  await fail("datasync")
  expect((await fetch(signed, { method: "HEAD" })).status).toBe(503)
  await mend("datasync")
  expect(await offsetOf(signed)).toBe(sizes.part)
})

it.each([
  ["folder", 0],
  ["file", 1],
])("an upload begins anew until the name of its %s is durable", async (_which, flushes) => {
  const { sign, failAfter, fail, mend, count } = await startOnFaultyDisk()
  const { signed } = await sign({ size: sizes.file })
  await failAfter("sync", flushes)
  expect((await putRaw(signed, randomContent(sizes.part))).status).toBe(503)
  await fail("sync")
  expect(await offsetOf(signed)).toBe(0)
  expect((await putRaw(signed, randomContent(sizes.part))).status).toBe(503)
  await mend("sync")
  expect(await offsetOf(signed)).toBe(0)
  await expectStored(signed, randomContent(sizes.file)) // The name of the folder, and that of the file in it.
  expect(await count("sync")).toBe(2)
})
