import { createHash } from "node:crypto"
import { globSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")
const folder = join(root, "node_modules/.cache/adapters")

/** What came of the suite of one framework, the last time it ran. */
export interface AdapterRecord {
  readonly framework: string
  /** How its application ran. */
  readonly app: string
  /** Of the code that was tried: another hash, and the record says nothing. */
  readonly sources: string
  readonly suite: Outcomes
  readonly browser: Outcomes
}

/** How many tests passed and failed; what was skipped, and why. */
export interface Outcomes {
  readonly passed: number
  readonly failed: number
  readonly skipped: ReadonlyArray<{ readonly test: string; readonly reason: string }>
}

/** Of all that an adapter's tests try. */
export const hashSources = (): string => {
  const hash = createHash("sha256")
  for (const file of globSync(
    "{src,adapters,bindings,test/adapters,test/conformance,test/runtimes}/**/*.{ts,tsx,svelte}",
    {
      cwd: root,
    },
  )
    // What frameworks generate comes and goes.
    .filter((name) => !/node_modules|\/dist\/|\.gen\./.test(name))
    .toSorted()) {
    hash.update(file).update(readFileSync(join(root, file)))
  }
  return hash.digest("hex")
}

/** Keeps a record for the table of frameworks. */
export const keepRecord = (record: Omit<AdapterRecord, "sources">): void => {
  mkdirSync(folder, { recursive: true })
  const file = `${record.framework.replaceAll(/[^\w.]+/g, "-")}.json`
  writeFileSync(join(folder, file), JSON.stringify({ ...record, sources: hashSources() }))
}

/** All that were kept of the code as it is. */
export const readRecords = (): ReadonlyArray<AdapterRecord> => {
  const sources = hashSources()
  mkdirSync(folder, { recursive: true })
  return readdirSync(folder)
    .map((file): AdapterRecord => JSON.parse(readFileSync(join(folder, file), "utf8")))
    .filter((record) => record.sources === sources)
    .toSorted((a, b) => a.framework.localeCompare(b.framework, "en"))
}
