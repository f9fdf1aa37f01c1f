import { readFile } from "node:fs/promises"
import { createServer } from "node:http"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { SluiceApi } from "../src/api.ts"
import { listen } from "./adapters/apps/listen.ts"
import { pixel } from "./browser/pixel.ts"
import { readBlocks } from "./code-blocks.ts"
import { type ImportedBlocks, writeBlocks } from "./import-blocks.ts"
import { startIngest, token } from "./ingest/circle.ts"

const markdown = await readFile(join(import.meta.dirname, "../docs/migrating.md"), "utf8")

/** What the page's `old-files.ts` is replaced by: rows of a test. */
interface Rows {
  old: ReadonlyArray<{ readonly oldKey: string; readonly url: string; readonly name: string; readonly owner: string }>
  readonly keys: Map<string, string>
  /** Old keys whose rows cannot be written. */
  readonly broken: Set<string>
}

const oldFiles = `
const { rows } = globalThis
export async function* listOldFiles() { for (const row of rows.old) if (!rows.keys.has(row.oldKey)) yield row }
export const saveKey = async (oldKey, newKey) => {
  if (rows.broken.has(oldKey)) throw new Error("The database is away.")
  rows.keys.set(oldKey, newKey)
}
`

describe("the import of docs/migrating.md", () => {
  let blocks: ImportedBlocks
  let rows: Rows
  let api: SluiceApi
  let asked: Array<string>
  let old: Awaited<ReturnType<typeof listen>>
  let importFiles: () => Promise<ReadonlyMap<string, string>>

  beforeEach(async () => {
    const ingest = await startIngest()
    process.env["SLUICE_TOKEN"] = token
    process.env["SLUICE_INGEST_URL"] = ingest.url
    api = new SluiceApi({ token, ingestUrl: ingest.url })
    asked = []
    old = await listen(
      createServer((request, response) => {
        asked.push(request.url!)
        if (request.url!.includes("gone")) return response.writeHead(404).end()
        // As buckets say of what nobody has given a type.
        return response.writeHead(200, { "content-type": "binary/octet-stream" }).end(pixel)
      }),
    )
    rows = { old: [], keys: new Map(), broken: new Set() }
    Object.assign(globalThis, { rows })
    const page = readBlocks(markdown)
      .filter(({ path }) => path === "import-files.ts")
      // The bucket of this test is on this machine.
      .map(({ path, code }) => ({
        path,
        code: code.replace("      })),\n", "      })),\n{ allowPrivateNetwork: true },\n"),
      }))
    blocks = await writeBlocks(page, { "old-files.ts": oldFiles })
    importFiles = (await blocks.load("import-files.ts"))["importFiles"] as typeof importFiles
  })
  afterEach(async () => {
    delete process.env["SLUICE_TOKEN"]
    delete process.env["SLUICE_INGEST_URL"]
    delete (globalThis as { rows?: unknown }).rows
    await old.close()
    await blocks.remove()
  })

  const addOld = (...oldKeys: ReadonlyArray<string>) => {
    rows.old = oldKeys.map((oldKey) => ({
      oldKey,
      url: `${old.origin}/${oldKey}`,
      name: `${oldKey}.png`,
      owner: "ada",
    }))
  }

  it("stores each file with its type and its owner, and writes its key into its row", async () => {
    addOld("face", "gone", "tree")
    expect([...(await importFiles())]).toEqual([["gone", expect.stringContaining("404")]])
    const { files } = await api.listFiles({ owner: "ada" })
    expect(new Set(files.map(({ name, type, customId }) => `${name} ${type} ${customId}`))).toEqual(
      new Set(["face.png image/png face", "tree.png image/png tree"]),
    )
    expect(rows.keys).toEqual(new Map(files.toReversed().map(({ customId, key }) => [customId!, key])))
  })

  it("goes on where it was broken off, and stores nothing twice", async () => {
    addOld(...Array.from({ length: 60 }, (_, index) => `file-${index}`))
    rows.broken.add("file-20")
    await expect(importFiles()).rejects.toThrow("The database is away.")
    expect(asked).toHaveLength(50)
    rows.broken.clear()
    expect((await importFiles()).size).toBe(0)
    expect(asked).toHaveLength(60)
    expect(rows.keys.size).toBe(60)
    expect((await api.listFiles({ limit: 1000 })).files).toHaveLength(60)
    await importFiles()
    expect(asked).toHaveLength(60)
  })
})
