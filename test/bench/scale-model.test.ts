import { readFileSync } from "node:fs"
import { join } from "node:path"
import { format, resolveConfig } from "prettier"
import { describe, expect, it } from "vitest"
import { readResults, resultsFolder } from "../../bench/results.ts"
import { assumptions, type Costs, deliveries, model, readCosts, replaceScale } from "../../bench/scale-model.ts"
import { ingestDefaults } from "../../src/schema/ingest-defaults.ts"

const page = join(import.meta.dirname, "../../docs/scale.md")
const results = readResults(resultsFolder)

const costs: Costs = {
  smallCpu: 0.001,
  objectCpu: 0.008,
  smallDatabase: 0.0005,
  objectDatabase: 0.0015,
  smallLog: 4,
  objectLog: 6,
  rows: 3000,
}

describe("the model of several ingests", () => {
  it("adds up what files cost", () => {
    const of = model(costs, 1024)
    // 512 files of 2 MiB are a GiB.
    expect(of.throughput).toBe(1024)
    expect(of.cores).toBeCloseTo(0.512 + 4.096)
    expect(of.processes).toBe(Math.ceil(4.608 / assumptions.ingestLoad))
    expect(of.processesDirect).toBe(Math.ceil((0.512 + 3 * 0.512) / assumptions.ingestLoad))
    expect(of.databaseCores).toBeCloseTo(512 * 0.002)
    expect(of.log).toBe(5)
    expect(of.underWay).toBeCloseTo(1024 * 0.2)
    expect(of.bucketRequests).toBe(512)
    expect(of.connections).toBe(of.processes * assumptions.connections)
  })

  it("has two processes and one primary where less would do, and as many as callbacks need", () => {
    expect(model(costs, 1)).toMatchObject({ processes: 2, processesDirect: 2, primaries: 1, prefixes: 1 })
    const slow = { ...assumptions, appLatency: 30 } as unknown as typeof assumptions
    expect(model(costs, 100, slow).processes).toBe(Math.ceil((100 * 30) / ingestDefaults.maxConcurrentCallbacks))
  })

  it("says that a process delivers as many callbacks as it has places, by their time", () => {
    expect(deliveries(0.2, 256)).toEqual({ all: 1280, one: 320 })
  })
})

describe("docs/scale.md", () => {
  const text = readFileSync(page, "utf8")

  it("is what `npm run bench -- --write processes` makes of the results and the model", async () => {
    const written = await format(replaceScale(text, results), { ...(await resolveConfig(page)), parser: "markdown" })
    expect(text).toBe(written)
  })

  it("names in its prose what the model takes", () => {
    const { one } = deliveries(assumptions.appLatency)
    expect(text).toContain(`at ${one} a second for each process where it takes ${assumptions.appLatency * 1000} ms`)
    expect(text).toContain(`There are ${ingestDefaults.maxConcurrentCallbacks} places`)
    expect(text).toContain(`the other half is ${assumptions.objectSize / 1024 ** 2} MiB each`)
    expect(text).toContain(`Each app answers within ${assumptions.appLatency * 1000} ms`)
    expect(text).toContain(
      `may use ${assumptions.ingestLoad * 100} % of a core, a database half of its ${assumptions.databaseCores}`,
    )
    expect(readCosts(results).smallCpu).toBeGreaterThan(0)
  })
})
