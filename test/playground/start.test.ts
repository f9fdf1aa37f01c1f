import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { startPlayground } from "./run-playground.ts"

let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-start-"))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const run = async (...words: ReadonlyArray<string>) => (await startPlayground(words, { INIT_CWD: folder })).ended

describe("npm start, by its first word", () => {
  it("takes a file that is called as a framework is, if it is written as a path", async () => {
    await writeFile(join(folder, "next"), "a file")
    const { code, output } = await run("./next")
    expect(output).toContain("All three are equal")
    expect(code).toBe(0)
  })

  it("takes names that only look like a framework's for files", async () => {
    const { code, output } = await run("Next")
    expect(code).toBe(1)
    expect(output).toContain("Next does not exist.")
  })

  it("says what may stand after a framework, and starts nothing", async () => {
    const { code, output } = await run("express", "README.md")
    expect(code).toBe(1)
    expect(output).toContain("After express only --production can stand, not README.md.")
    expect(output).not.toContain("Starting")
  })
})
