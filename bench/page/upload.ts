import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { launchWholeChromium } from "../../test/browser/chromium.ts"
import { servers, startIngest } from "../ingest/servers.ts"
import { serveApp } from "./site.ts"

/**
 * One process uploads small files from one page: `node upload.ts <app> <files> <folder>`. Prints seconds from the choice to
 * the last answer; script and busy seconds of the page's main thread, and script a file in ms, also of what it still
 * does a second later.
 */
const [, , app = "", countText, folder = ""] = process.argv
const count = Number(countText)

declare global {
  interface Window {
    /** Called by the page with the number of files that were stored. */
    tell: (count: number) => void
    /** Resolves when all are. */
    allStored: Promise<void>
  }
}

const script = `window.allStored = new Promise((resolve) => {
  let stored = 0
  window.tell = (count) => {
    stored += count
    if (stored === ${count}) resolve()
  }
})`

const startSluice = async () => {
  const ingest = await startIngest(join(folder, `${app}-${process.pid}`))
  const door = new URL("../../dist/node.js", import.meta.url).href
  const { createRouteHandler, createSluice } = (await import(door)) as typeof import("../../adapters/node.ts")
  const f = createSluice()
  const router = { anything: f({ blob: { maxFileCount: 10_000 } }).onUploadComplete(() => null) }
  const { token, url: ingestUrl } = ingest
  const options = { token, ingestUrl, logLevel: "None", isDev: false, allowedHosts: "127.0.0.1:*" } as const
  const handle = createRouteHandler({ router, ...options })
  const site = await serveApp(`upload-${app}`, script, (request, response) => void handle(request, response))
  return { site, stop: ingest.stop }
}

const startUppy = async () => {
  const { port, stop } = await servers["@tus/server"]!(join(folder, `${app}-${process.pid}`))
  const site = await serveApp("upload-uppy", `${script}; window.endpoint = "http://127.0.0.1:${port}/files"`)
  return { site, stop }
}

const writeFiles = (): ReadonlyArray<string> => {
  mkdirSync(join(folder, "chosen"), { recursive: true })
  return Array.from({ length: count }, (_, i) => {
    const path = join(folder, "chosen", `measurement-${i}.bin`)
    writeFileSync(path, Buffer.alloc(1024, i))
    return path
  })
}

const { site, stop } = await (app === "uppy" ? startUppy : startSluice)()
const paths = writeFiles()
const browser = await launchWholeChromium()
const page = await browser.newPage({ viewport: { width: 1000, height: 800 } })
page.on("pageerror", (error) => console.error(error))
await page.addInitScript(() => Reflect.deleteProperty(globalThis, "showOpenFilePicker"))
await page.goto(site.url)
const input = "#root input[type=file]:not([webkitdirectory])"
await page.waitForFunction((input) => document.querySelector<HTMLInputElement>(input)?.disabled === false, input)
await page.waitForTimeout(1000)

const devTools = await page.context().newCDPSession(page)
await devTools.send("Performance.enable")
const read = async () => {
  const { metrics } = await devTools.send("Performance.getMetrics")
  return new Map(metrics.map(({ name, value }) => [name, value]))
}
const profile = process.env["BENCH_PROFILE"]
if (profile) {
  await devTools.send("Profiler.enable")
  await devTools.send("Profiler.start")
}
const before = await read()
const started = performance.now()
// One request for upload URLs is for a thousand files.
for (let at = 0; at < count; at += 1000) {
  await page
    .locator(input)
    .first()
    .setInputFiles(paths.slice(at, at + 1000))
}
const isOver = await Promise.race([
  page.evaluate(() => window.allStored),
  page.waitForTimeout(120_000).then(() => false),
])
if (isOver === false) throw new Error("the files are not all stored after two minutes")
const whole = (performance.now() - started) / 1000
await page.waitForTimeout(1000)
const after = await read()
if (profile) writeFileSync(profile, JSON.stringify((await devTools.send("Profiler.stop")).profile))
const spent = (name: string) => after.get(name)! - before.get(name)!
console.log(
  JSON.stringify({
    whole,
    script: spent("ScriptDuration"),
    scriptPerFile: (spent("ScriptDuration") / count) * 1000,
    busy: spent("TaskDuration"),
  }),
)
if (process.env["BENCH_SCREENSHOT"]) await page.screenshot({ path: process.env["BENCH_SCREENSHOT"] })
await browser.close()
await stop()
site.stop()
process.exit(0)
