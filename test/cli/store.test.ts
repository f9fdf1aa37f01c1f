import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { createDiskBlobStore } from "../../src/ingest.ts"
import { toBlobName } from "../../src/ingest/storage/blob-name.ts"
import { runCommand, startCommand } from "./run-command.ts"
import { openData, storeFile } from "./stored-files.ts"

let folder: string
let data: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-store-"))
  data = join(folder, "data")
})
afterEach(() => rm(folder, { recursive: true }))

const ingestDoor = pathToFileURL(join(import.meta.dirname, "../../src/ingest.ts")).href

/** A module whose store is files in `blobs` beside it. */
const driver = `
import { createDiskBlobStore } from ${JSON.stringify(ingestDoor)}
const open = ({ data }) => {
  console.error("opened for " + data)
  return createDiskBlobStore({ folder: import.meta.dirname + "/blobs" })
}
export default { contract: "blob-store/2", open }
`

const writeModule = async (text: string, name = "my-store.mjs"): Promise<string> => {
  await writeFile(join(folder, name), text)
  return join(folder, name)
}

const start = async (args: ReadonlyArray<string>) => {
  const command = startCommand(["ingest", "--json", "--port", "0", "--data", data, ...args], { cwd: folder })
  onTestFinished(async () => {
    command.child.kill("SIGKILL")
    await command.ended
  })
  await command.line((line) => line.includes('"listening"'))
  return async () => {
    command.child.kill("SIGTERM")
    return command.ended
  }
}

/** What is wrong with a module, what is said of it, and what to do. */
const mistakes: ReadonlyArray<readonly [what: string, text: string, said: RegExp]> = [
  ["exports nothing", "", /has no default export\. Write export default \{ contract: "blob-store\/2", open \}: see /],
  ["exports by name", "export const open = () => {}", /has no default export \(named exports are ignored\)\. Write /],
  ["exports a function", "export default () => {}", /has a function as its default export\. Write /],
  ["exports no contract", "export default { open() {} }", /has no `contract` in its default export\. Write /],
  [
    "exports no function",
    'export default { contract: "blob-store/2", open: {} }',
    /has no function `open` in its default export\. Write /,
  ],
  [
    "is of an older contract",
    'export default { contract: "blob-store/1", open() {} }',
    /was written for blob-store\/1, and this version of sluice supports blob-store\/2\. Install versions/,
  ],
  [
    "is another kind of driver",
    'export default { contract: "catalog/1", open() {} }',
    /is a driver for catalog\/1, and --store needs one for blob-store\/2\. Give it another module/,
  ],
  ["is no JavaScript", "export default {", /cannot be loaded: .*\. Correct the file: `node [^`]*` shows more\./],
  [
    "imports what is not there",
    'import "./not-there.mjs"',
    /cannot be loaded: .*not-there\.mjs.*\. Install what it imports, or correct the import\./,
  ],
  [
    "throws while it is loaded",
    '\nthrow new Error("no bucket.")',
    /cannot be loaded: no bucket \(line 2\)\. Correct the file/,
  ],
  [
    "throws on opening",
    'export default {\n  contract: "blob-store/2",\n  open: async () => {\n    throw new Error("The bucket is not there.")\n  },\n}',
    /could not be opened: The bucket is not there \(line 4\)\. This message is from its own code/,
  ],
  [
    "opens nothing",
    'export default { contract: "blob-store/2", open() {} }',
    /returned is undefined, not a blob store\. Test it with testBlobStore of sluice\/conformance/,
  ],
  [
    "opens less than a store",
    'export default { contract: "blob-store/2", open: () => ({ claim() {}, append() {}, read() {}, remove() {} }) }',
    /returned is not a blob store: it lacks abilities, finish, probe, close\. Test it/,
  ],
  [
    "opens one that does not say what it can do",
    `const no = () => {}
const abilities = { isDurable: true, isShared: false, smallestAppend: 1 }
const store = { abilities, claim: no, append: no, finish: no, read: no, remove: no, probe: no, close: no }
export default { contract: "blob-store/2", open: () => store }`,
    /returned is not a blob store: `abilities\.isDurable` and `abilities\.readsUnfinished` are true or false\. Test it/,
  ],
]

/** What the page quotes of the messages, `…` for what differs. */
const readQuotes = async (): Promise<ReadonlyArray<string>> => {
  const page = await readFile(join(import.meta.dirname, "../../docs/conformance.md"), "utf8")
  const [, table = ""] = page.split("exits with 1")
  return [...table.split("\n\n")[0]!.matchAll(/\| `([^`]+)` +\|$/gm)].map(([, quote]) => quote!)
}

const toPattern = (quote: string): RegExp =>
  new RegExp(
    quote
      .split("…")
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*"),
  )

describe("sluice ingest --store", () => {
  /** What was printed of each mistake. */
  const printed: Array<string> = []

  it.each(mistakes)(
    "says in one line what to do where the module %s, and leaves nothing running",
    async (_, text, said) => {
      const file = await writeModule(text)
      const args = ["ingest", "--port", "0", "--data", data, "--store", "./my-store.mjs"]
      const { code, stdout, stderr } = await runCommand(args, { cwd: folder })
      expect([code, stdout]).toEqual([1, ""])
      expect(stderr).toMatch(/^sluice: [^\n]*\.\n$/)
      expect(stderr).toContain(file)
      expect(stderr).toMatch(said)
      printed.push(stderr)
      // The data folder was let go of.
      await (
        await start([])
      )()
    },
  )

  it("says so where the file is missing or a folder", async () => {
    const args = (store: string) => ["ingest", "--port", "0", "--data", data, "--store", store]
    const missing = await runCommand(args("other.mjs"), { cwd: folder })
    expect(missing).toMatchObject({
      code: 1,
      stderr: `sluice: The store ${join(folder, "other.mjs")} cannot be read: it does not exist. Give --store the path of the module that opens the store.\n`,
    })
    printed.push(missing.stderr)
    await mkdir(join(folder, "store"))
    expect((await runCommand(args("store"), { cwd: folder })).stderr).toMatch(
      /^sluice: The store \S+ is not a file\. Name the module itself, .*\n$/,
    )
  })

  it("says what the page quotes of it", async () => {
    const quotes = await readQuotes()
    expect(quotes.length).toBeGreaterThan(5)
    expect(quotes.filter((quote) => !printed.some((text) => toPattern(quote).test(text)))).toEqual([])
  })

  it("opens the store once, also where the configuration file names it, and says where that was set", async () => {
    await writeModule(driver)
    await writeFile(join(folder, "sluice.config.json"), JSON.stringify({ store: "./my-store.mjs" }))
    const { stdout, stderr } = await (await start([]))()
    expect(stderr).toBe(`opened for ${data}\n`)
    const listening = stdout.split("\n").find((line) => line.includes('"listening"'))!
    const source = join(folder, "sluice.config.json")
    expect(JSON.parse(listening).settings).toContainEqual({ name: "store", text: "./my-store.mjs", source })
  })

  it("warns of a store that loses its files, and where files of before are in another one", async () => {
    await writeModule(driver)
    await writeModule(
      `import { createMemoryBlobStore as open } from ${JSON.stringify(ingestDoor)}\nexport default { contract: "blob-store/2", open }`,
      "memory.mjs",
    )
    const warnings = async (args: ReadonlyArray<string>) => {
      const { stdout } = await (await start(args))()
      const lines = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      return lines.flatMap(({ event, message }) => (event === "warning" ? [message] : []))
    }
    expect(await warnings([])).toEqual([])
    expect(await warnings(["--store", "my-store.mjs"])).toEqual([
      expect.stringMatching(/kept its files on disk before, and now keeps them in the store \S+my-store\.mjs\. Files /),
    ])
    expect(await warnings(["--store", "my-store.mjs"])).toEqual([])
    expect(await warnings(["--store", "memory.mjs"])).toEqual([
      expect.stringMatching(/memory\.mjs says that it is not durable/),
      expect.stringMatching(/in the store \S+my-store\.mjs before, and now keeps them in the store \S+memory\.mjs/),
    ])
  })
})

describe("other commands, where an ingest has another store", () => {
  it("read it with --store, or say that they do not", async () => {
    await writeModule(driver)
    await (
      await start(["--store", "my-store.mjs"])
    )()
    const options = { cwd: folder }
    const named = await runCommand(["files", "verify", "--data", data], options)
    expect(named).toMatchObject({
      code: 1,
      stderr: `sluice: The ingest of ${data} keeps its files in the store ${join(folder, "my-store.mjs")}, not on disk. Say so: --store ${join(folder, "my-store.mjs")}\n`,
    })
    const backup = await runCommand(["backup", join(folder, "backup"), "--data", data], options)
    expect(backup).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/A backup copies files on disk\. Back that store up /),
    })
    expect(await readdir(folder)).not.toContain("backup")
    const { checks } = JSON.parse((await runCommand(["doctor", "--json", "--data", data], options)).stdout)
    expect(checks).toContainEqual(expect.objectContaining({ check: "Store", status: "ok" }))
  })

  it("verify the bytes in that store", async () => {
    await writeModule(driver)
    await (
      await start(["--store", "my-store.mjs"])
    )()
    const stored = { ...openData(data), store: createDiskBlobStore({ folder: join(folder, "blobs") }) }
    await storeFile(stored, "one")
    await storeFile(stored, "two")
    const args = ["files", "verify", "--json", "--data", data, "--store", "my-store.mjs"]
    const verify = async () => JSON.parse((await runCommand(args, { cwd: folder })).stdout)
    expect(await verify()).toEqual({ checked: 2, bytes: 10, damaged: [] })
    const two = (await stored.catalog.get("two"))!.file
    await stored.store.remove(toBlobName(two))
    await stored.catalog.close()
    expect(await verify()).toMatchObject({ checked: 2, damaged: [{ key: "two", reason: "missing" }] })
  })
})
