import { spawn } from "node:child_process"
import { readdir, readFile, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { createInterface } from "node:readline"
import ts from "typescript"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { contracts } from "../../src/conformance.ts"
import { type Block, readBlocks } from "../code-blocks.ts"
import { breakages, program } from "./broken-stores.ts"
import { type Consumer, createConsumer, repository, runIn } from "./consumer.ts"

const page = readBlocks(await readFile(join(repository, "docs/conformance.md"), "utf8"))
const blocks = page.filter(({ path }) => path !== "")

const write = (consumer: Consumer, files: ReadonlyArray<Pick<Block, "path" | "code">>) =>
  Promise.all(files.map(({ path, code }) => writeFile(join(consumer.folder, path), code)))

/** The page's store as JavaScript. */
const toModule = (): string => {
  const { code } = blocks.find(({ path }) => path === "my-store.ts")!
  const compilerOptions = { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext }
  return ts.transpileModule(code, { compilerOptions }).outputText
}

/** How many cases the page says that a suite has. */
const casesOf = async (suite: string): Promise<number> => {
  const text = await readFile(join(repository, "docs/conformance.md"), "utf8")
  return Number(new RegExp(`^\\| \`${suite}\` +\\|[^|]*\\|[^|]*\\| (\\d+)`, "m").exec(text)?.[1])
}

describe("somebody who has the package and nothing else", () => {
  let consumer: Consumer
  beforeAll(async () => {
    consumer = await createConsumer()
    await write(consumer, blocks)
    await writeFile(join(consumer.folder, "my-store.mjs"), toModule())
  })
  afterAll(() => consumer.remove())

  it.each([
    ["my-store", "testBlobStore", 0, `as a blob store, contract ${contracts.blobStore}`],
    ["my-catalog", "testCatalog", 0, `as a catalog, contract ${contracts.catalog}`],
    ["my-adapter", "testAdapter", 1, `as an adapter, contract ${contracts.adapter}`],
  ])(
    "runs the page's %s through its suite with Node alone, and reads the version",
    async (name, suite, skipped, title) => {
      const { code, output } = await runIn(consumer, process.execPath, [
        "--test",
        "--test-reporter=tap",
        `${name}.test.ts`,
      ])
      expect({ code, output }).toMatchObject({ code: 0 })
      const counts = Object.fromEntries(
        [...output.matchAll(/^# (\w+) (\d+)$/gm)].map(([, key, count]) => [key, Number(count)]),
      )
      expect(counts).toMatchObject({ fail: 0, skipped, pass: (await casesOf(suite)) - skipped })
      expect(output).toContain(title)
    },
  )

  it("sees a broken store fail, each by the case that is about it", async () => {
    const source = toModule()
    const files = await Promise.all(
      breakages.map(async ({ name, from, to }) => {
        const file = `${name.replaceAll(" ", "-")}.mjs`
        expect(source, name).toContain(from)
        await writeFile(join(consumer.folder, file), source.replaceAll(from, to))
        return file
      }),
    )
    await writeFile(join(consumer.folder, "try-all.mjs"), program)
    const { output } = await runIn(consumer, process.execPath, ["try-all.mjs", "my-store.mjs", ...files])
    const failed: Readonly<Record<string, ReadonlyArray<string>>> = JSON.parse(output)
    expect(failed["my-store.mjs"]).toEqual([])
    for (const [index, { name, caughtBy }] of breakages.entries()) {
      expect(failed[files[index]!], name).toContain(caughtBy)
    }
  })

  /** The command of the package; resolves when it takes uploads, with a way to kill it. */
  const startIngest = async (): Promise<{ readonly kill: () => Promise<void> }> => {
    const args = ["--no-install", "sluice", "ingest", "--json", "--port", "0", "--largest-content", "0"]
    const npx = spawn("npx", [...args, "--data", "data", "--store", "./my-store.mjs"], {
      cwd: consumer.folder,
      stdio: ["ignore", "pipe", "inherit"],
    })
    const ended = new Promise((resolve) => npx.once("close", resolve))
    for await (const line of createInterface(npx.stdout)) {
      const { event, pid } = JSON.parse(line)
      if (event !== "listening") continue
      return {
        kill: async () => {
          process.kill(pid, "SIGKILL")
          await ended
        },
      }
    }
    throw new Error("The ingest ended.")
  }

  it("has `npx sluice ingest --store` keep its files there, also over a kill", async () => {
    await writeFile(join(consumer.folder, "upload.mjs"), upload)
    await writeFile(join(consumer.folder, "read.mjs"), read)
    const first = await startIngest()
    const uploaded = await runIn(consumer, process.execPath, ["upload.mjs"])
    await first.kill()
    expect(uploaded).toMatchObject({ code: 0 })
    const again = await startIngest()
    onTestFinished(again.kill)
    expect(await runIn(consumer, process.execPath, ["read.mjs"])).toEqual({
      code: 0,
      output: "300000 bytes, as they were\n",
    })
    const kept = join(consumer.folder, "data/my-store")
    const names = (await readdir(kept)).filter((name) => !name.includes("."))
    const contents = await Promise.all(names.map((name) => readFile(join(kept, name))))
    expect(contents.map((bytes) => bytes.equals(Buffer.alloc(300_000, "abc")))).toEqual([true])
    const verified = await runIn(consumer, "npx", [
      "--no-install",
      "sluice",
      "files",
      "verify",
      "--data",
      "data",
      "--store",
      "./my-store.mjs",
      "--json",
    ])
    expect(JSON.parse(verified.output)).toEqual({ checked: 1, bytes: 300_000, damaged: [] })
  })
})

/** Uploads as an app's server does, and notes the key. */
const upload = `
import { readFileSync, writeFileSync } from "node:fs"
import { SluiceApi } from "sluice/api"
const api = new SluiceApi({ token: readFileSync("data/token", "utf8").trim() })
const { data, error } = await api.uploadFiles(new File([Buffer.alloc(300_000, "abc")], "abc.txt"))
if (error) throw error
writeFileSync("key", data.key)
`

const read = `
import { readFileSync } from "node:fs"
import { SluiceApi } from "sluice/api"
const api = new SluiceApi({ token: readFileSync("data/token", "utf8").trim() })
const response = await fetch(await api.generateSignedURL(readFileSync("key", "utf8")))
const bytes = Buffer.from(await response.arrayBuffer())
console.log(bytes.length + " bytes, " + (bytes.equals(Buffer.alloc(300_000, "abc")) ? "as they were" : "others"))
`

describe("somebody with Vitest and TypeScript", () => {
  let consumer: Consumer
  beforeAll(async () => {
    consumer = await createConsumer(["@types/node", "vitest", "vite"])
    await write(consumer, blocks)
  })
  afterAll(() => consumer.remove())

  it("runs the same files with another import, and is told by the title which case failed", async () => {
    for (const { path, code } of blocks.filter((block) => block.path.endsWith(".test.ts"))) {
      const text = code.replace('"node:test"', '"vitest"').replace(/after, before,/, "afterAll, beforeAll,")
      await writeFile(
        join(consumer.folder, path),
        text.replace("beforeAll: before, afterAll: after", "beforeAll, afterAll"),
      )
    }
    const vitest = join(repository, "node_modules/vitest/vitest.mjs")
    const run = () =>
      runIn(consumer, process.execPath, [vitest, "run", "--reporter=verbose", "--testTimeout=60000", "--no-color"])
    const well = await run()
    expect(well).toMatchObject({ code: 0, output: expect.not.stringContaining("FAIL") })
    const total = (await casesOf("testBlobStore")) + (await casesOf("testCatalog")) + (await casesOf("testAdapter"))
    expect(well.output).toMatch(new RegExp(`Tests +${total - 1} passed \\| 1 skipped \\(${total}\\)`))
    const store = blocks.find(({ path }) => path === "my-store.ts")!.code
    await writeFile(join(consumer.folder, "my-store.ts"), store.replace("isFinished: true })", "isFinished: false })"))
    for (const name of ["my-catalog", "my-adapter"]) await rm(join(consumer.folder, `${name}.test.ts`))
    const broken = await run()
    expect(broken.code).toBe(1)
    expect(broken.output).toContain(
      `my-store as a blob store, contract ${contracts.blobStore} > keeps a blob of no bytes`,
    )
  })

  it("finds every type that a driver needs, and is told of a method that is missing", async () => {
    const compilerOptions = {
      target: "es2024",
      lib: ["es2024", "dom", "dom.iterable", "dom.asynciterable"],
      types: ["node"],
      strict: true,
      exactOptionalPropertyTypes: true,
      skipLibCheck: true,
      module: "nodenext",
      moduleResolution: "nodenext",
      allowImportingTsExtensions: true,
      noEmit: true,
    }
    const files = blocks.map(({ path }) => path)
    await write(consumer, blocks)
    await writeFile(join(consumer.folder, "lacking.ts"), lacking)
    await writeFile(
      join(consumer.folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: [...files, "lacking.ts"] }),
    )
    const tsc = join(repository, "node_modules/typescript/lib/tsc.js")
    expect(await runIn(consumer, process.execPath, [tsc, "-p", "."])).toEqual({ code: 0, output: "" })
  })
})

const lacking = `import type { BlobStoreDriver } from "sluice/ingest"
export default {
  contract: "blob-store/2",
  // @ts-expect-error it lacks all methods but one
  open: () => ({ close: async () => {} }),
} satisfies BlobStoreDriver
export const newer: BlobStoreDriver = {
  // @ts-expect-error there is no such contract
  contract: "blob-store/3",
  open: () => Promise.reject(new Error()),
}
`
