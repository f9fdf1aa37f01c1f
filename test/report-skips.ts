import type { Reporter, TestCase, TestModule, TestRunEndReason } from "vitest/node"
import { lacking } from "./skip-lacking.ts"

/** How many tests are skipped for each reason. */
const countByReason = (tests: ReadonlyArray<readonly [test: TestCase, reason: string]>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const [, reason] of tests) counts.set(reason, (counts.get(reason) ?? 0) + 1)
  return [...counts].map(([reason, count]) => `  ${count} × ${reason}`)
}

/**
 * Says at the end of a run which tests were skipped, and why: those that this machine lacks something for by name, those
 * that make no sense where they stand by their reasons. A test that is skipped without a reason fails the run, unless
 * the run was told by name which tests to run.
 */
export class SkipReporter implements Reporter {
  #hasFilter = false

  onInit({ config, projects }: Parameters<NonNullable<Reporter["onInit"]>>[0]): void {
    this.#hasFilter = [config, ...projects.map((project) => project.config)].some(
      ({ testNamePattern }) => testNamePattern !== undefined,
    )
  }

  onTestRunEnd(modules: ReadonlyArray<TestModule>, _errors: unknown, end: TestRunEndReason): void {
    const skipped = modules
      .flatMap((module) => [...module.children.allTests("skipped")])
      .map((test) => {
        const result = test.result()
        return [test, result.state === "skipped" ? (result.note ?? "") : ""] as const
      })
    const here = skipped.filter(([, reason]) => reason.startsWith(lacking))
    const unexplained = skipped.filter(([, reason]) => reason === "")
    const senseless = skipped.filter((each) => !here.includes(each) && !unexplained.includes(each))
    if (senseless.length > 0)
      console.log(["\nLeft out, as they make no sense there:", ...countByReason(senseless)].join("\n"))
    for (const [test, reason] of here) console.warn(`\n${reason}\n  ${test.module.relativeModuleId} > ${test.fullName}`)
    // What follows a failure is skipped as well.
    if (unexplained.length === 0 || this.#hasFilter || end !== "passed") return
    process.exitCode = 1
    for (const [test] of unexplained) {
      console.error(`\nThis test is skipped and nothing says why: ${test.module.relativeModuleId} > ${test.fullName}`)
    }
  }
}
