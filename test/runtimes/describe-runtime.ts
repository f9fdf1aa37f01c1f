import { beforeAll, describe, expect, test } from "vitest"
import { suites } from "./suite/suites.ts"
import { skipLacking } from "../skip-lacking.ts"
import type { Line, Place } from "./suite/suite.ts"

export type SuiteName = keyof typeof suites

/** All suites. */
export const allSuites = Object.keys(suites) as ReadonlyArray<SuiteName>

/** What a runtime has printed, or why there is none here. */
export type Run = string | { readonly missing: string }

/** Something to try a runtime on. */
export interface RuntimeUnderTest {
  readonly name: string
  /** Begins its user agent. */
  readonly userAgent: string
  /** Whether Web Crypto has to carry the signatures. */
  readonly isWebCryptoAlone?: boolean
}

/**
 * Every test of these suites, as it went in a runtime.
 *
 * @param run runs the suites there and gives all that was printed
 * @param unavailable suites that the runtime cannot have, and why
 */
export const describeRuntime = (
  { name: runtime, userAgent, isWebCryptoAlone = false }: RuntimeUnderTest,
  names: ReadonlyArray<SuiteName>,
  run: (names: ReadonlyArray<SuiteName>) => Promise<Run>,
  unavailable: Partial<Record<SuiteName, string>> = {},
): void => {
  describe(runtime, () => {
    let result: Run
    let lines: ReadonlyArray<Line> = []

    beforeAll(async () => {
      result = await run(names).catch((cause: unknown) => String(cause))
      if (typeof result === "string") {
        const printed = result.split("\n").filter((line) => line.startsWith('{"suite":'))
        lines = printed.map((line): Line => JSON.parse(line))
      }
    }, 300_000)

    test("it is the one that is meant", (context) => {
      if (typeof result !== "string") return skipLacking(context, result.missing)
      const place = result.split("\n").find((line) => line.startsWith('{"userAgent":'))
      expect(place, result).toBeDefined()
      const { userAgent: actual, isSynchronous }: Place = JSON.parse(place!)
      expect([actual.slice(0, userAgent.length), isSynchronous]).toEqual([userAgent, !isWebCryptoAlone])
    })

    for (const name of names) {
      describe(name, () => {
        for (const title of Object.keys(suites[name])) {
          test(title, (context) => {
            if (typeof result !== "string") return skipLacking(context, result.missing)
            const line = lines.find((candidate) => candidate.suite === name && candidate.test === title)
            if (line === undefined) {
              throw new Error(`${runtime} told nothing of this test. It said:\n${result.slice(-4000)}`)
            }
            if (line.error !== undefined) throw new Error(`On ${runtime}: ${line.error}`)
          })
        }
      })
    }

    for (const [name, reason] of Object.entries(unavailable)) test(name, (context) => context.skip(reason))
  })
}
