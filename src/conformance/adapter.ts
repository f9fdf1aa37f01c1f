import { encodeToken } from "../protocol.ts"
import { describeAdapterCases } from "./adapter/cases.ts"
import { type RecordingIngest, startRecordingIngest } from "./adapter/recording-ingest.ts"
import { apiKey, appId } from "./adapter/requests.ts"
import type { AppConfiguration, RunningApp } from "./adapter/running-app.ts"
import { it, listCases, runSuite, type TestRunner } from "./cases.ts"
import { contracts } from "./contracts.ts"

/** What {@link testAdapter} is handed to: with `node:test`, `beforeAll` is its `before` and `afterAll` its `after`. */
export interface AdapterTestRunner extends TestRunner {
  readonly describe: NonNullable<TestRunner["describe"]>
  /** Runs once before the cases of the group that is being described. */
  readonly beforeAll: (run: () => Promise<void>) => unknown
  readonly afterAll: (run: () => Promise<void>) => unknown
}

/** A case that makes no sense for a framework, and why: both are shown with the results. */
export interface SkippedCase {
  /** Its title. */
  readonly test: string
  readonly reason: string
}

/** Skips where the runner can; the title says it in any case. */
const skip = (context: unknown, reason: string): void => {
  // With Vitest it is a function that has members.
  const { skip: skipCase } = Object(context) as { readonly skip?: unknown }
  if (typeof skipCase === "function") skipCase.call(context, reason)
}

const nameSuite = (name: string): string => `${name} as an adapter, contract ${contracts.adapter}`

const notStarted = (): never => {
  throw new Error("The app has not started.")
}

/** The titles of all cases. */
export const listAdapterCases = (name: string): ReadonlyArray<string> =>
  listCases(nameSuite(name), () => describeAdapterCases(it, notStarted, notStarted))

/**
 * Tests what every adapter made by `defineAdapter` promises, over HTTP, with an ingest of its own in memory.
 *
 * @param runner `{ describe, test, beforeAll, afterAll }` of the test runner in use
 * @param name what stands in the titles, before the version of the contract
 * @param start starts an app of the framework; called once
 *
 * Fails: throws where `skips` names a case that there is not.
 */
export const testAdapter = (
  runner: AdapterTestRunner,
  name: string,
  start: (configuration: AppConfiguration) => Promise<RunningApp>,
  skips: ReadonlyArray<SkippedCase> = [],
): void => {
  let app: RunningApp | undefined
  let ingest: RecordingIngest | undefined
  const group: AdapterTestRunner["describe"] = (title, body) =>
    runner.describe(title, () => {
      runner.beforeAll(async () => {
        ingest = await startRecordingIngest(apiKey, appId)
        app = await start({ token: encodeToken({ apiKey, appId, regions: ["local"] }), ingestUrl: ingest.url })
      })
      runner.afterAll(async () => {
        await app?.close()
        await ingest?.close()
      })
      body()
    })

  const titles = new Set<string>()
  const check = (title: string, run: () => Promise<void>): void => {
    titles.add(title)
    const left = skips.find(({ test }) => test === title)
    if (left === undefined) it(title, run)
    else it(`${title} (left out: ${left.reason})`, (context) => skip(context, left.reason))
  }
  runSuite({ test: runner.test, describe: group }, nameSuite(name), () =>
    describeAdapterCases(
      check,
      () => app ?? notStarted(),
      () => ingest ?? notStarted(),
    ),
  )
  const unknown = skips.find(({ test }) => !titles.has(test))
  if (unknown !== undefined) throw new Error(`There is no case ${JSON.stringify(unknown.test)} to leave out.`)
}
