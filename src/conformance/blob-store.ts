import type { BlobStore } from "../ingest.ts"
import { testAbilities, testDurableBlobStore, testVolatileBlobStore } from "./blob-store/abilities.ts"
import { testAppends } from "./blob-store/appends.ts"
import { testBlobContents } from "./blob-store/contents.ts"
import { testFencing } from "./blob-store/fencing.ts"
import { afterEach, beforeEach, listCases, runSuite, type TestRunner } from "./cases.ts"
import { contracts } from "./contracts.ts"

/** How a driver is set up for {@link testBlobStore}. */
export interface BlobStoreSetup {
  /** A store with nothing in it. Called before each case. */
  readonly create: () => Promise<BlobStore>
  /**
   * A second store over the same place while the first one is still open, as the next process opens it after a crash. For
   * drivers whose `abilities.isDurable` is true.
   */
  readonly reopen?: (() => Promise<BlobStore>) | undefined
  /** Removes what `create` made. Called after each case, after the store was closed. */
  readonly cleanUp?: (() => Promise<void>) | undefined
}

const describeBlobStore = (setup: BlobStoreSetup): void => {
  let store: BlobStore
  beforeEach(async () => {
    store = await setup.create()
  })
  afterEach(async () => {
    await store.close()
    await setup.cleanUp?.()
  })

  testBlobContents(() => store)
  testAppends(() => store)
  testFencing(() => store)
  testAbilities(() => store)
  if (setup.reopen === undefined) testVolatileBlobStore(() => store)
  else testDurableBlobStore(() => store, setup.reopen)
}

const nameSuite = (name: string): string => `${name} as a blob store, contract ${contracts.blobStore}`

/**
 * Tests what every {@link BlobStore} promises. One call of it is the whole test of a driver.
 *
 * @param runner `{ describe, test }` of the test runner in use
 * @param name what stands in the titles, before the version of the contract
 */
export const testBlobStore = (runner: TestRunner, name: string, setup: BlobStoreSetup): void =>
  runSuite(runner, nameSuite(name), () => describeBlobStore(setup))

/** The titles of all cases that a set-up leads to. */
export const listBlobStoreCases = (name: string, setup: BlobStoreSetup): ReadonlyArray<string> =>
  listCases(nameSuite(name), () => describeBlobStore(setup))
