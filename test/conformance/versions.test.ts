import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { contracts } from "../../src/conformance.ts"
import { listAdapterCases } from "../../src/conformance/adapter.ts"
import { listBlobStoreCases } from "../../src/conformance/blob-store.ts"
import { listCatalogCases } from "../../src/conformance/catalog.ts"
import { blobStoreContract, createMemoryBlobStore, createMemoryCatalog } from "../../src/ingest.ts"

const page = readFileSync(join(import.meta.dirname, "../../docs/conformance.md"), "utf8")

const create = async () => createMemoryBlobStore()
const open = async () => createMemoryCatalog()

/** The cases of each suite, for a driver that is durable. */
const suites = {
  blobStore: listBlobStoreCases("any", { create, reopen: create }),
  catalog: listCatalogCases("any", { create: open, reopen: open }),
  adapter: listAdapterCases("any"),
}

/**
 * What the cases are called, as a hash. Where one of these fails, cases were added, renamed or removed: raise the second
 * number of the version in src/conformance/contracts.ts, or the first one where a driver that keeps the contract of today may
 * fail now, and write the hash of the new titles here.
 */
const known: Readonly<Record<keyof typeof suites, readonly [version: string, titles: string]>> = {
  blobStore: ["2.0", "e5cd4289cc6f"],
  catalog: ["5.0", "e95e6e0c4e69"],
  adapter: ["1.0", "f27f0157f261"],
}

describe("the versions of the suites", () => {
  it.each(Object.keys(suites) as ReadonlyArray<keyof typeof suites>)("follow the cases: %s", (name) => {
    const titles = suites[name].map((title) => title.split(": ").slice(1).join(": "))
    expect(new Set(titles).size).toBe(titles.length)
    const hash = createHash("sha256").update(titles.toSorted().join("\n")).digest("hex").slice(0, 12)
    expect([contracts[name], hash]).toEqual(known[name])
  })

  it("are those of the page, with the number of cases", () => {
    const rows = [...page.matchAll(/^\| `test(\w+)` +\| `([a-z-]+)\/(\d+)` +\| ([\d.]+) +\| (\d+) /gm)]
    const shown = rows.map(([, suite, kind, contract, version, cases]) => [
      suite,
      kind,
      contract,
      version,
      Number(cases),
    ])
    const majorOf = (version: string) => version.split(".")[0]
    expect(shown).toEqual([
      ["BlobStore", "blob-store", majorOf(contracts.blobStore), contracts.blobStore, suites.blobStore.length],
      ["Catalog", "catalog", majorOf(contracts.catalog), contracts.catalog, suites.catalog.length],
      ["Adapter", "adapter", majorOf(contracts.adapter), contracts.adapter, suites.adapter.length],
    ])
  })

  it("are of the contract that the ingest speaks", () => {
    expect(blobStoreContract).toBe(`blob-store/${contracts.blobStore.split(".")[0]}`)
  })
})
