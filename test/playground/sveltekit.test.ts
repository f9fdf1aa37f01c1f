import { createRequire } from "node:module"
import { join } from "node:path"
import { describe, it } from "vitest"
import { runProgram } from "../adapters/apps/start-process.ts"
import { describeApplication } from "./describe-application.ts"

describeApplication("SvelteKit", ["sveltekit"])

describeApplication("SvelteKit", ["sveltekit", "--production"])

describe("the SvelteKit application", () => {
  it("has the types of the routes it was built with", async () => {
    const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc")
    await runProgram([tsc, "--noEmit"], { cwd: join(import.meta.dirname, "../../playground/sveltekit") })
  }, 60_000)
})
