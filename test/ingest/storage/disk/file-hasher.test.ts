import { createHash } from "node:crypto"
import { appendFile, mkdtemp, rename, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { createFileHasher } from "../../../../src/ingest/storage/disk/file-hasher.ts"
import { randomContent } from "../../circle.ts"

const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex")

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-hash-"))
  return () => rm(folder, { recursive: true })
})

const openHasher = () => {
  const hasher = createFileHasher()
  onTestFinished(hasher.close)
  return hasher
}

/** Threads that cannot run our text, as after a bundler that rewrote it. */
const breakWorkers = () => {
  const threads = process.getBuiltinModule("node:worker_threads")
  const { Worker } = threads
  threads.Worker = class extends Worker {
    constructor(_text: string | URL, options: object) {
      super("__name(() => {})", options)
    }
  }
  onTestFinished(() => {
    threads.Worker = Worker
  })
}

describe.each([
  ["in its thread", () => {}],
  ["without a thread", breakWorkers],
])("files hashed %s", (_name, prepare) => {
  beforeEach(prepare)

  it("gives the digest of a file that grew while it was followed", async () => {
    const hasher = openHasher()
    const [path, content] = [join(folder, "file"), randomContent(3_500_000)]
    for (let at = 0; at < content.length; at += 700_000) {
      await appendFile(path, content.subarray(at, at + 700_000))
      hasher.follow("file", path, at + 700_000)
    }
    expect(await hasher.digest("file", path, content.length)).toBe(sha256(content))
  })

  it("gives the digest of a file it never heard of, of its beginning, and of none of it", async () => {
    const hasher = openHasher()
    const [path, content] = [join(folder, "file"), randomContent(2_000_000)]
    await writeFile(path, content)
    expect(await hasher.digest("file", path, 2_000_000)).toBe(sha256(content))
    expect(await hasher.digest("file", path, 1_200_000)).toBe(sha256(content.subarray(0, 1_200_000)))
    expect(await hasher.digest("file", path, 0)).toBe(sha256(new Uint8Array()))
  })

  it("fails for bytes that are not there, and goes on", async () => {
    const hasher = openHasher()
    await expect(hasher.digest("none", join(folder, "none"), 1)).rejects.toMatchObject({ code: "ENOENT" })
    await writeFile(join(folder, "file"), "hello")
    await expect(hasher.digest("file", join(folder, "file"), 6)).rejects.toThrow()
    expect(await hasher.digest("file", join(folder, "file"), 5)).toBe(sha256(Buffer.from("hello")))
  })

  it("keeps many files apart", async () => {
    const hasher = openHasher()
    const files = Array.from({ length: 50 }, (_, i) => ({
      path: join(folder, String(i)),
      content: randomContent(100_000 + i),
    }))
    for (const { path, content } of files) {
      await writeFile(path, content)
      hasher.follow(path, path, 50_000)
    }
    const digests = files.map(({ path, content }) => hasher.digest(path, path, content.length))
    expect(await Promise.all(digests)).toEqual(files.map(({ content }) => sha256(content)))
  })
})

it("does not read again what it has followed, even under another name", async () => {
  const hasher = openHasher()
  const [path, content] = [join(folder, "file"), randomContent(2_000_000)]
  await writeFile(path, content)
  hasher.follow("file", path, 1_500_000)
  // Answered after the task before it, so the first part is hashed.
  await hasher.digest("other", path, 0)
  await writeFile(path, Buffer.concat([randomContent(1_500_000), content.subarray(1_500_000)]))
  await rename(path, `${path}.2`)
  expect(await hasher.digest("file", `${path}.2`, 2_000_000)).toBe(sha256(content))
})

it("begins anew with a file that is forgotten, or was cut off", async () => {
  const hasher = openHasher()
  const path = join(folder, "file")
  await writeFile(path, "hello world")
  hasher.follow("file", path, 11)
  hasher.forget("file")
  await writeFile(path, "HELLO WORLD")
  hasher.follow("file", path, 8)
  expect(await hasher.digest("file", path, 5)).toBe(sha256(Buffer.from("HELLO")))
})
