import { createHash } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BrowserContext } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test, type TestContext } from "vitest"
import {
  type AppConfiguration,
  type RunningApp as AnyRunningApp,
  type SkippedCase as Skip,
  testAdapter,
} from "../../src/conformance.ts"
import { launchProfile } from "../browser/chromium.ts"
import { type DrivenUploadPage, driveUploadPage } from "../browser/drive-upload-page.ts"
import { frameworksPage, tellFramework } from "./frameworks-table.ts"

export type { AppConfiguration, Skip }

/** An app with a page, too. */
export interface RunningApp extends AnyRunningApp {
  /** Where the page of `createUploadPage` is served. */
  readonly pageUrl: string
  /** How the application was built and started, for the table of frameworks. */
  readonly runs: string
}

type Check = (title: string, run: (context: TestContext) => Promise<void>) => void

/** Cases of a suite, and how many of them passed until now. */
class Tally {
  cases = 0
  passed = 0
  readonly leftOut: Array<Skip> = []

  /** Runs a case, and counts how it ended. */
  countWith =
    (skips: ReadonlyArray<Skip>): Check =>
    (title, run) => {
      const skip = skips.find((candidate) => title.startsWith(`${candidate.test} (left out`))
      this.cases++
      test(title, async (context) => {
        if (skip !== undefined) this.leftOut.push(skip)
        await run(context)
        this.passed++
      })
    }

  /** Whether each case has passed or was left out: one that fails, or was not chosen by its title, is neither. */
  get isWhole(): boolean {
    return this.passed + this.leftOut.length === this.cases
  }
}

/** The page of an app, in a real browser. */
const describeInBrowser = (check: Check, app: () => RunningApp): void => {
  let profile: string
  let context: BrowserContext
  let dropzone: DrivenUploadPage

  beforeAll(async () => {
    profile = await mkdtemp(join(tmpdir(), "sluice-profile-"))
    context = await launchProfile(profile)
    dropzone = await driveUploadPage(context, app().pageUrl)
  })
  afterAll(async () => {
    await context?.close()
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  })

  const large = new Uint8Array(6_000_000).map((_, i) => i % 253)
  const isStored = (name: string, bytes: Uint8Array) =>
    dropzone.page
      .locator("output", { hasText: `${name} is stored: ${createHash("sha256").update(bytes).digest("hex")}` })
      .waitFor()

  check("a file that is chosen is stored, and what the app returned is there", async () => {
    await dropzone.choose({ name: "chosen.bin", mimeType: "", buffer: Buffer.from(large) })
    await isStored("chosen.bin", large)
    await dropzone.rowBecomes("chosen.bin", "done")
    await dropzone.drop("dropped.txt", "dropped")
    await isStored("dropped.txt", new TextEncoder().encode("dropped"))
    expect(dropzone.complaints).toEqual([])
  })

  check("progress is shown, a pause keeps what is there, a cancelled file is not stored", async () => {
    await dropzone.setUploadSpeed(2_000_000)
    await dropzone.choose({ name: "slow.bin", mimeType: "", buffer: Buffer.from(large) })
    const seen = await dropzone.watchProgress("slow.bin")
    expect(seen).toEqual(seen.toSorted((a, b) => a - b))
    await dropzone.page.getByRole("button", { name: "Pause slow.bin" }).click()
    await dropzone.rowBecomes("slow.bin", "paused")
    await dropzone.page.getByRole("button", { name: "Resume slow.bin" }).click()
    await dropzone.rowBecomes("slow.bin", "uploading")
    await dropzone.page.getByRole("button", { name: "Cancel slow.bin" }).click()
    await dropzone.rowBecomes("slow.bin", "aborted")
    await dropzone.setUploadSpeed(-1)
    expect(await dropzone.page.locator("output").textContent()).not.toContain("slow.bin")
  })

  check("a file goes on after a reload in the middle, where the stored bytes end", async () => {
    const ranges: Array<string | undefined> = []
    dropzone.page.on("request", (request) => {
      if (request.method() === "PUT") ranges.push(request.headers()["range"])
    })
    const file = join(profile, "reloaded.bin")
    await writeFile(file, large)
    await dropzone.setUploadSpeed(2_000_000)
    await dropzone.choose(file)
    await dropzone.watchProgress("reloaded.bin")
    await dropzone.page.reload()
    await dropzone.setUploadSpeed(-1)
    await dropzone.choose(file, "Choose it again to continue reloaded.bin")
    await isStored("reloaded.bin", large)
    expect(ranges).toEqual(["bytes=0-", expect.stringMatching(/^bytes=\d{6,}-$/)])
  })

  check("what the page's limits and the app's own code refuse is said", async () => {
    await dropzone.choose({ name: "huge.bin", mimeType: "", buffer: Buffer.alloc(9_000_000) })
    await dropzone.row("huge.bin").getByText("is too large, at most 8\u00a0MB is allowed.").waitFor()
    await dropzone.page.evaluate(() => document.querySelector("sluice-dropzone")!.setAttribute("endpoint", "refused"))
    await dropzone.choose({ name: "unpaid.txt", mimeType: "", buffer: Buffer.from("x") }, "Choose a file")
    await dropzone.row("unpaid.txt").getByText("The storage is full.").waitFor()
  })
}

/** Holds for an adapter of any framework: the published suite, and in a browser what only we can try everywhere. */
export const describeAdapter = (
  name: string,
  start: (configuration: AppConfiguration) => Promise<RunningApp>,
  skips: ReadonlyArray<Skip> = [],
): void => {
  let app: RunningApp
  const [suite, browser] = [new Tally(), new Tally()]
  const runner: Parameters<typeof testAdapter>[0] = {
    describe: (title, body) =>
      describe(title, () => {
        body()
        describe("in a browser", () => {
          describeInBrowser(browser.countWith([]), () => app)
        })
        // With `-u` it writes its row.
        test("docs/frameworks says what this suite found", async (context) => {
          if (!suite.isWhole || !browser.isWhole) context.skip("not all cases of this suite have run and passed")
          const found = { framework: name, app: app.runs, suite: suite.passed, browser: browser.passed }
          await expect(await tellFramework({ ...found, leftOut: suite.leftOut })).toMatchFileSnapshot(frameworksPage)
        })
      }),
    test: suite.countWith(skips),
    beforeAll,
    afterAll,
  }
  testAdapter(runner, name, async (configuration) => (app = await start(configuration)), skips)
}
