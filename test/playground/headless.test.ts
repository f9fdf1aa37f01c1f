import { createHash, randomBytes } from "node:crypto"
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startPlayground } from "./run-playground.ts"

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-headless-"))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const run = async (...files: ReadonlyArray<string>) => (await startPlayground(files)).ended

describe("npm start -- file", () => {
  it("takes files round the whole circle: exit code 0, every step, three equal SHA-256, the peak of memory", async () => {
    const bytes = randomBytes(3_000_000)
    const path = join(folder, "ünï cödé (1) & #?+%.bin")
    await writeFile(path, bytes)
    await writeFile(join(folder, "empty"), "")
    const { code, output } = await run(path, join(folder, "empty"))
    expect(output).toContain("All three are equal")
    expect(code).toBe(0)
    const hash = createHash("sha256").update(bytes).digest("hex")
    expect(output.split(hash)).toHaveLength(4)
    for (const step of ["presigned", "first bytes", "50 %", "stored", "callback received, signature verified"]) {
      expect(output).toMatch(new RegExp(`^ *\\d+ ms {2}.*${step}`, "m"))
    }
    expect(output).toMatch(/serverData back: \{"stored":"ünï cödé \(1\) & #\?\+%\.bin"/)
    expect(output).toContain(createHash("sha256").digest("hex"))
    expect(output).toMatch(/Peak memory of the ingest process: \d+(\.\d)?MB/)
  })

  it("says which file it cannot take, and starts nothing", async () => {
    await mkdir(join(folder, "a-folder"))
    const { code, output } = await run(join(folder, "missing.txt"), join(folder, "a-folder"))
    expect(code).toBe(1)
    expect(output).toContain("missing.txt")
    expect(output).toContain("a-folder")
    expect(output).not.toContain("presigned")
  })
})
