import { afterEach, beforeEach, describe, expect, it } from "vitest"
import type { Catalog } from "../../src/ingest.ts"
import { testCatalogApps } from "./catalog-apps.ts"
import { testCatalogBounds } from "./catalog-bounds.ts"
import { testCatalogDeletion } from "./catalog-deletion.ts"
import { testCatalogDeliveries } from "./catalog-deliveries.ts"
import { testCatalogExpiry } from "./catalog-expiry.ts"
import { testCatalogFailures } from "./catalog-failures.ts"
import { testCatalogFiles } from "./catalog-files.ts"
import { testCatalogHistory } from "./catalog-history.ts"
import { testCatalogRedelivery } from "./catalog-redelivery.ts"
import { testCatalogRegistrations } from "./catalog-registrations.ts"
import { testCatalogResults } from "./catalog-results.ts"
import { testCatalogUploads } from "./catalog-uploads.ts"
import { testCatalogUsage } from "./catalog-usage.ts"
import { driveCatalog, dueOf } from "./drive-catalog.ts"

export interface CatalogSetup {
  /** A catalog with nothing in it. */
  readonly create: () => Promise<Catalog>
  /** Opens the same catalog anew after it was closed; for durable drivers. */
  readonly reopen?: () => Promise<Catalog>
  /** Breaks what the created one is kept on while it is open; for drivers that are kept on something. */
  readonly breakDown?: () => void | Promise<void>
  readonly cleanUp?: () => Promise<void>
  /** How many rows, or entries, the catalog that was created last keeps, by table; read beside it. */
  readonly count: (catalog: Catalog) => Readonly<Record<string, number>>
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
    expect(catalog().abilities.isDurable).toBe(false)
  })
}

/** What every {@link Catalog} must do; a driver's test is its set-up and one call of this. */
export const testCatalog = (name: string, setup: CatalogSetup): void => {
  describe(`${name} as a catalog`, () => {
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
    testCatalogRegistrations(() => catalog, setup.count)
    testCatalogUsage(() => catalog)
    testCatalogBounds(() => catalog)
    testCatalogFiles(() => catalog)
    testCatalogDeletion(() => catalog)
    testCatalogExpiry(() => catalog)
    testCatalogHistory(() => catalog)
    testCatalogApps(() => catalog)

    const { breakDown, reopen } = setup
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
  })
}
