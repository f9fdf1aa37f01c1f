import { execFileSync } from "node:child_process"
import { hash } from "node:crypto"
import { mkdir, symlink, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { reasonOf } from "../../../../src/conformance/blob-store/drive-blob-store.ts"
import { createDiskBlobStore } from "../../../../src/ingest.ts"
import { makeFolder } from "../../../make-folder.ts"

describe("what somebody has put in the place of a blob", () => {
  const pipe = async (path: string) => execFileSync("mkfifo", [path])

  it.for([
    ["a link to a file", async (path: string) => symlink(`${path}.elsewhere`, path)],
    ["a pipe", pipe],
    ["a folder", async (path: string) => mkdir(path)],
  ] as const)("is not read, taken over or finished: %s", async ([, make], { skip }) => {
    skip(process.platform === "win32", "Windows has no pipes in folders, and lets few users make links.")
    const root = await makeFolder()
    const store = createDiskBlobStore({ folder: root })
    const place = async (key: string, suffix = "") => {
      const name = hash("sha256", key)
      await mkdir(join(root, name.slice(0, 2)), { recursive: true })
      const path = join(root, name.slice(0, 2), name.slice(2) + suffix)
      await writeFile(`${path}.elsewhere`, new Uint8Array(500_000))
      await make(path)
    }
    const readAll = async (end: number) => {
      const body = await store.read("read", { start: 0, end })
      return new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>).bytes()
    }
    await place("read")
    for (const end of [9, 499_999]) expect(await reasonOf(readAll(end))).toBe("io")
    expect(await reasonOf(store.finish("read", { epoch: 1, size: 500_000 }))).toBe("io")
    await place("begun", ".1")
    expect(await reasonOf(store.claim("begun", 2))).toBe("io")
  })
})
