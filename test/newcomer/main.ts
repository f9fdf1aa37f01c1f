/*
 * npm run newcomer -- <application>|all, where applications are those of applications.ts
 *
 * What somebody does who has never seen Sluice: from their framework's generator to an upload in production, outside of
 * this repository and with nothing but the packed tarball. Exit code 1 when anything is off.
 * --keep leaves the folder; --tarball <file> takes a package that is packed already; --sheet lays the pictures of the
 * last runs on docs/components/applications.png, with or without names to run before.
 */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { parseArgs } from "node:util"
import { launchChromium } from "../browser/chromium.ts"
import { packPackage } from "../package/pack.ts"
import { applications, isApplicationName } from "./applications.ts"
import { laySheet } from "./lay-sheet.ts"
import { budget, showTrial } from "./show-trial.ts"
import { tryApplication } from "./try-application.ts"

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    keep: { type: "boolean", default: false },
    tarball: { type: "string" },
    sheet: { type: "boolean", default: false },
  },
})
const asked = positionals.includes("all") ? Object.keys(applications) : positionals
const unknown = asked.filter((name) => !isApplicationName(name))
if ((asked.length === 0 && !values.sheet) || unknown.length > 0) {
  console.error(
    `Usage: npm run newcomer -- ${Object.keys(applications).join("|")}|all [--keep] [--tarball <file>] [--sheet]`,
  )
  process.exit(2)
}

const pictures = resolve(import.meta.dirname, "../../node_modules/.cache/newcomer")
const names = asked.filter(isApplicationName)
const packed =
  values.tarball === undefined && names.length > 0
    ? packPackage()
    : { tarball: resolve(values.tarball ?? ""), remove: () => {} }
const browser = await launchChromium()
try {
  for (const name of names) {
    const root = await mkdtemp(join(tmpdir(), "newcomer-"))
    const trial = await tryApplication(applications[name], {
      root,
      screenshots: join(pictures, name),
      tarball: packed.tarball,
      browser,
      onStep: ({ name: step }) => console.error(`… ${step}`),
    })
    console.log(showTrial(trial))
    const { ms = Number.POSITIVE_INFINITY, commands = Number.POSITIVE_INFINITY } = trial.firstUpload ?? {}
    if (trial.faults.length > 0 || ms > budget.ms || commands > budget.commands) process.exitCode = 1
    if (values.keep) console.log(`The folder is ${root}`)
    else await rm(root, { recursive: true, force: true })
  }
  if (values.sheet) {
    const sheet = "docs/components/applications.png"
    const missing = await laySheet(browser, { folder: pictures, path: resolve(import.meta.dirname, "../..", sheet) })
    if (missing.length > 0) {
      console.error(`No pictures of ${missing.join(", ")}: run npm run newcomer -- ${missing.join(" ")} --sheet`)
      process.exitCode = 1
    } else console.log(sheet)
  }
} finally {
  await browser.close()
  packed.remove()
}
