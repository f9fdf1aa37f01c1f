import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, expect, inject, it } from "vitest"
import { launchChromium } from "../browser/chromium.ts"
import { skipLacking } from "../skip-lacking.ts"
import { type ApplicationName, applications } from "./applications.ts"
import { budget, showTrial } from "./show-trial.ts"
import { hasRegistry } from "./shell.ts"
import { tryApplication } from "./try-application.ts"

let browser: Browser

beforeAll(async () => {
  browser = await launchChromium()
})

afterAll(() => browser.close())

// The others by hand: `npm run newcomer -- sveltekit`.
const tried: ReadonlyArray<ApplicationName> = ["next", "vite-react"]

for (const name of tried) {
  it(`a newcomer with ${name} gets from the generator to a good-looking upload, and to production`, async (context) => {
    if (!(await hasRegistry())) {
      skipLacking(context, `the npm registry, which has the generator of ${name}, cannot be reached.`)
    }
    const root = await mkdtemp(join(tmpdir(), "newcomer-"))
    try {
      const trial = await tryApplication(applications[name], {
        root,
        screenshots: resolve(import.meta.dirname, "../../node_modules/.cache/newcomer", name),
        tarball: inject("tarball"),
        browser,
      })
      console.log(showTrial(trial))
      expect(trial.faults).toEqual([])
      expect(trial.firstUpload?.commands).toBeLessThanOrEqual(budget.commands)
    } finally {
      await rm(root, { recursive: true, force: true })
    }
  })
}
