import { afterEach, beforeEach, it, listCases, runSuite, type TestRunner } from "./cases.ts"
import { contracts } from "./contracts.ts"
import { expect } from "./expect.ts"
import type { Catalog } from "../ingest.ts"
import { testCatalogApps } from "./catalog/apps.ts"
import { testCatalogBounds } from "./catalog/bounds.ts"
import { testCatalogClaims } from "./catalog/claims.ts"
import { testCatalogDeletion } from "./catalog/deletion.ts"
import { testCatalogDeletions } from "./catalog/deletions.ts"
import { testCatalogDeliveries } from "./catalog/deliveries.ts"
import { testCatalogEndpoints } from "./catalog/endpoints.ts"
import { testCatalogExpiry } from "./catalog/expiry.ts"
import { testCatalogFailures } from "./catalog/failures.ts"
import { testCatalogFiles } from "./catalog/files.ts"
import { testCatalogHistory } from "./catalog/history.ts"
import { testCatalogHolds } from "./catalog/holds.ts"
import { testCatalogLabels } from "./catalog/labels.ts"
import { testCatalogPaths } from "./catalog/paths.ts"
import { testCatalogProcesses } from "./catalog/processes.ts"
import { testCatalogRedelivery } from "./catalog/redelivery.ts"
import { type CatalogCount, testCatalogRegistrations } from "./catalog/registrations.ts"
import { testCatalogResults } from "./catalog/results.ts"
import { testCatalogSealed } from "./catalog/sealed.ts"
import { testCatalogUploads } from "./catalog/uploads.ts"
import { testCatalogUsage } from "./catalog/usage.ts"
import { testCatalogWriters } from "./catalog/writers.ts"
import { driveCatalog, dueOf } from "./catalog/drive-catalog.ts"

/** How a driver is set up for {@link testCatalog}. */
export interface CatalogSetup {
  /** A catalog with nothing in it. Called before each case. */
  readonly create: () => Promise<Catalog>
  /** Opens the same catalog anew after it was closed; for drivers whose `abilities.isDurable` is true. */
  readonly reopen?: (() => Promise<Catalog>) | undefined
  /**
   * Opens the same catalog once more while it is open, as another process would; for drivers whose `abilities.isShared` is
   * true. The suite closes what it opens.
   */
  readonly openBeside?: (() => Promise<Catalog>) | undefined
  /** Breaks what the created one is kept on while it is open, so that every call must fail; for drivers where that can be done. */
  readonly breakDown?: (() => void | Promise<void>) | undefined
  /** Removes what `create` made. Called after each case, after the catalog was closed. */
  readonly cleanUp?: (() => Promise<void>) | undefined
  /** How many rows, or entries, the catalog that was created last keeps, by table: the suite then finds what is never deleted. */
  readonly count?: CatalogCount | undefined
}

/** A catalog that is kept on something has everything when it is opened again. */
const testDurableCatalog = (catalog: () => Catalog, reopen: () => Promise<void>): void => {
  const { begin, commit, register, claim } = driveCatalog(catalog, { holdsClaims: true })
  it("has everything after it was opened anew", async () => {
    await register(["key", "open"])
    await begin("key")
    await begin("open")
    await commit("key", 1, { claimedUntil: null })
    await catalog().recordResult({ appId: "app", key: "key", result: { data: "1" }, now: 3000 })
    const before = await catalog().get("key")
    expect(catalog().abilities.isDurable).toBe(true)
    await reopen()
    expect(await catalog().get("key")).toEqual(before)
    expect(await claim(2000)).toMatchObject([{ id: "evt_1", registration: { metadata: '{"userId":7}' } }])
    expect(await begin("open")).toMatchObject({ kind: "granted", epoch: 2 })
    expect(dueOf(await commit("open", 2))).toMatchObject({ hook: "callback" })
  })
}

/** A catalog that cannot be opened again does not claim to be durable. */
const testVolatileCatalog = (catalog: () => Catalog): void => {
  it("does not outlive its process, and says so", () => {
    expect(catalog().abilities.isDurable, "a durable catalog is set up with `reopen`").toBe(false)
  })
}

const describeCatalog = (setup: CatalogSetup): void => {
  let catalog: Catalog
  beforeEach(async () => {
    catalog = await setup.create()
  })
  afterEach(async () => {
    await catalog.close()
    await setup.cleanUp?.()
  })

  testCatalogUploads(() => catalog)
  testCatalogDeliveries(() => catalog)
  testCatalogRedelivery(() => catalog)
  testCatalogResults(() => catalog)
  testCatalogSealed(() => catalog)
  testCatalogRegistrations(() => catalog, setup.count)
  testCatalogUsage(() => catalog)
  testCatalogBounds(() => catalog)
  testCatalogFiles(() => catalog)
  testCatalogLabels(() => catalog)
  testCatalogPaths(() => catalog)
  testCatalogClaims(() => catalog)
  testCatalogHolds(() => catalog)
  testCatalogEndpoints(() => catalog)
  testCatalogDeletion(() => catalog)
  testCatalogDeletions(() => catalog)
  testCatalogExpiry(() => catalog)
  testCatalogHistory(() => catalog)
  testCatalogApps(() => catalog)

  const { breakDown, openBeside, reopen } = setup
  if (openBeside !== undefined) {
    testCatalogProcesses(() => catalog, openBeside)
    testCatalogWriters(() => catalog, openBeside)
  }
  if (breakDown !== undefined) testCatalogFailures(() => catalog, breakDown)
  if (reopen === undefined) testVolatileCatalog(() => catalog)
  else {
    testDurableCatalog(
      () => catalog,
      async () => {
        await catalog.close()
        catalog = await reopen()
      },
    )
  }
}

const nameSuite = (name: string): string => `${name} as a catalog, contract ${contracts.catalog}`

/**
 * Tests what every {@link Catalog} promises. One call of it is the whole test of a driver.
 *
 * @param runner `{ describe, test }` of the test runner in use
 * @param name what stands in the titles, before the version of the contract
 */
export const testCatalog = (runner: TestRunner, name: string, setup: CatalogSetup): void =>
  runSuite(runner, nameSuite(name), () => describeCatalog(setup))

/** The titles of all cases that a set-up leads to. */
export const listCatalogCases = (name: string, setup: CatalogSetup): ReadonlyArray<string> =>
  listCases(nameSuite(name), () => describeCatalog(setup))
