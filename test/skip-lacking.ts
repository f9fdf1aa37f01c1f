import type { TestContext } from "vitest"

/** Begins the reason of every test that is skipped because of the machine it runs on. */
export const lacking = "SKIPPED: "

/** Skips the test that is running: this machine lacks something. The run says so at its end (`report-skips.ts`). */
export const skipLacking = (context: Pick<TestContext, "skip">, what: string): never => context.skip(lacking + what)
