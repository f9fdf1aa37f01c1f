import { availableParallelism } from "node:os"
import { defineConfig } from "vitest/config"
import { compileCache } from "./test/compile-cache.ts"
import { LongestFirst } from "./test/longest-first.ts"
import {
  listQuickTests,
  pageTests,
  scaleTests,
  sharesModules,
  sourceTests,
  testsAlone,
  waitingTests,
} from "./test/quick-tests.ts"
import { SkipReporter } from "./test/report-skips.ts"

// Each file of tests is a process, and many start others: Node keeps what it has compiled for the next one.
process.env["NODE_COMPILE_CACHE"] ??= compileCache.NODE_COMPILE_CACHE

const quickTests = listQuickTests()
const report = process.env["TEST_REPORT"]

const jsonReport = (outputFile: string): ["json", { outputFile: string }] => ["json", { outputFile }]

export default defineConfig(({ mode }) => ({
  test: {
    // As many files at a time as there are cores: tests of the sources and of the package leave a tenth of the processors idle
    // then, one at a time a third. Quick tests and pages wait more, and run more at a time; what load would change runs alone.
    // `npm run test:long`: what is tried at random, a hundred times as often, and all faults of several ingests.
    ...(mode === "long" && {
      env: {
        TRANSITION_SEQUENCES: process.env["TRANSITION_SEQUENCES"] ?? "1000000",
        RACE_ROUNDS: process.env["RACE_ROUNDS"] ?? "20000",
        SCALE_FAULTS: process.env["SCALE_FAULTS"] ?? "300",
      },
    }),
    // What a test logs is shown where it fails; `--silent=false` shows all of it.
    silent: "passed-only",
    // Limits for what hangs, not for what is slow: the first build of a framework's app on a cold, busy disk takes long.
    testTimeout: 60_000,
    hookTimeout: 180_000,
    sequence: { sequencer: LongestFirst },
    coverage: { include: ["src/**", "adapters/**", "bindings/**"] },
    reporters: ["default", new SkipReporter(), ...(report === undefined ? [] : [jsonReport(report)])],
    // Each has an order: with one worker, as on two cores, Vitest runs those without one last.
    projects: [
      {
        // What needs no browser, no build and no process of its own: `npm run test:quick`. It loads modules once for all
        // files of a worker, and so takes less time.
        extends: true,
        test: {
          name: "quick",
          isolate: false,
          maxWorkers: 2 * availableParallelism(),
          sequence: { groupOrder: 1 },
          include: quickTests.filter(sharesModules),
        },
      },
      {
        // The same for tests that change modules, or leave sockets behind.
        extends: true,
        test: {
          name: "quick-isolated",
          maxWorkers: 2 * availableParallelism(),
          sequence: { groupOrder: 1 },
          include: quickTests.filter((test) => !sharesModules(test)),
        },
      },
      {
        extends: true,
        test: {
          name: "source",
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 2 },
          include: sourceTests.include,
          exclude: [...sourceTests.exclude, ...pageTests, ...waitingTests, ...quickTests],
        },
      },
      {
        // Processes: the command, ingests that are killed, other programs; and what waits for time to pass.
        extends: true,
        test: {
          name: "waiting",
          maxWorkers: Math.ceil(1.5 * availableParallelism()),
          sequence: { groupOrder: 3 },
          include: waitingTests,
          exclude: quickTests,
        },
      },
      {
        // Components in a browser: they wait half of their time, for what shows after a while.
        extends: true,
        test: {
          name: "pages",
          maxWorkers: Math.ceil(1.5 * availableParallelism()),
          sequence: { groupOrder: 4 },
          include: pageTests,
          exclude: quickTests,
        },
      },
      {
        // What load would change: real processes that are killed, starved and lied to, and what people read of a mistake
        // first. One file at a time, after the others.
        extends: true,
        test: { name: "alone", include: testsAlone, maxWorkers: 1, sequence: { groupOrder: 5 } },
      },
      {
        // Several ingests as one: they are killed, held up and lied to, with a database and a bucket that fail.
        extends: true,
        test: { name: "scale", include: scaleTests, maxWorkers: 1, sequence: { groupOrder: 7 } },
      },
      {
        // The package as users get it: built and packed once, before these tests and only for them.
        extends: true,
        test: {
          name: "package",
          // Nearly each of them builds or starts an app.
          testTimeout: 180_000,
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 2 },
          include: ["test/package/**/*.test.ts"],
          globalSetup: ["test/package/pack.ts"],
        },
      },
      {
        // What somebody does who has never seen this: generators, installs, builds. After the tests that tell why.
        extends: true,
        test: {
          name: "newcomer",
          testTimeout: 900_000,
          maxWorkers: availableParallelism(),
          sequence: { groupOrder: 2 },
          include: ["test/newcomer/**/*.test.ts"],
          globalSetup: ["test/package/pack.ts"],
        },
      },
    ],
  },
}))
