import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { Browser } from "playwright-core"
import { commandFile } from "../cli/command-file.ts"
import { findFreePort, listen } from "../adapters/apps/listen.ts"
import { pixel } from "../browser/pixel.ts"
import { run, type Running, start } from "../newcomer/shell.ts"
import { encodeToken } from "../../src/protocol.ts"
import { createProxy } from "./proxy.ts"
import type { Mistake, Readings, Run, Scene, Stage, Written } from "./mistake.ts"

const root = resolve(import.meta.dirname, "../..")
const command = `${JSON.stringify(process.execPath)} ${JSON.stringify(commandFile)}`

const toServer = ({
  prologue = "",
  route = `f({ image: { maxFileSize: "1MB", maxFileCount: 2 } })`,
  middleware = "() => ({ user: 1 })",
  onUploadComplete = "({ file }) => ({ url: file.url })",
  options = "{ router }",
  mount = `app.use("/api/sluice", uploads)`,
  pageHeaders = {},
  markup = `<sluice-button endpoint="avatar"></sluice-button>`,
  stylesheet,
}: Written) => `${prologue}
import express from "express"
import { createRouteHandler, createSluice, UploadError } from ${JSON.stringify(join(root, "adapters/express.ts"))}

const f = createSluice()
export const router = {
  avatar: ${route}
    .middleware(${middleware})
    .onUploadComplete(${onUploadComplete}),
}
const uploads = createRouteHandler(${options})

const page = ${JSON.stringify(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<link rel="icon" href="data:,">
${stylesheet === false ? "" : `<link rel="stylesheet" href="/styles.css">`}
<script type="module" src="/page.js"></script>
</head>
<body>${markup}</body>
</html>`)}
const app = express()
app.get("/", (req, res) => res.set(${JSON.stringify(pageHeaders)}).type("html").send(page))
for (const file of ["page.js", "styles.css"]) app.get("/" + file, (req, res) => res.sendFile(file, { root: import.meta.dirname }))
${mount}
app.listen(Number(process.env.PORT))
`

const given = new Set<number>()

/** A free port that no other mistake has: several are made at once, and not all of their servers come up. */
const takePort = async (): Promise<number> => {
  const port = await findFreePort()
  if (given.has(port)) return takePort()
  given.add(port)
  return port
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Bytes that a media type's files begin with, then zeros. */
const toFile = ({ name, mimeType, size }: { name: string; mimeType: string; size?: number }) => ({
  name,
  mimeType,
  buffer: mimeType === "image/png" ? Buffer.concat([pixel, Buffer.alloc(size ?? 0)]) : Buffer.alloc(size ?? 10, "a"),
})

interface Doctor {
  readonly checks: ReadonlyArray<{ check: string; status: string; message: string; advice?: string | null }>
}

/** Asks `sluice doctor` as the one who runs the servers would, and gives what is not well. */
const askDoctor = async (
  cwd: string,
  stage: Stage,
  { data, ingestUrl, token, appUrl }: Scene,
  { env = {}, ingest = "" }: Run,
): Promise<string> => {
  const callbackUrl = env["SLUICE_CALLBACK_URL"] || `${appUrl}/api/sluice`
  const { stdout, output } = await run(
    `${command} doctor --json --data ${data} ${ingest.includes("--url") ? ingest : `--url ${ingestUrl}`} --callback-url ${callbackUrl} || true`,
    {
      cwd,
      env: stage === "production" ? { SLUICE_TOKEN: token } : {},
    },
  )
  if (stdout === "") return output
  const { checks } = JSON.parse(stdout) as Doctor
  return checks
    .filter(({ status }) => status !== "ok")
    .map(({ check, message, advice }) => [`${check}: ${message}`, advice].filter(Boolean).join(" "))
    .join("\n")
}

/** How long a user looks at what does not come to an end. */
const patience = 15_000

/**
 * Makes a mistake with real processes and a real browser: a server that a newcomer wrote, `sluice dev` or an ingest
 * beside it, a page with the component, files chosen in it.
 *
 * @param script of the page, bundled for this stage
 */
export const makeMistake = async (
  { written = {}, run: toRun, files = [{ name: "photo.png", mimeType: "image/png" }] }: Mistake,
  stage: Stage,
  { browser, script, styles }: { readonly browser: Browser; readonly script: string; readonly styles: string },
): Promise<Readings> => {
  const cache = join(root, "node_modules/.cache/mistakes")
  await mkdir(cache, { recursive: true })
  const folder = await mkdtemp(join(cache, "app-"))
  const data = join(await mkdtemp(join(tmpdir(), "mistake-")), "data")
  const undo: Array<() => Promise<void>> = []
  const running: Array<Running> = []
  try {
    const [appPort, ingestPort, deadPort] = [await takePort(), await takePort(), await takePort()]
    const origin = (port: number) => `http://localhost:${port}`
    const ingestUrl = origin(ingestPort)
    const other = await listen(createServer((_, response) => response.end("<!doctype html><h1>It works!</h1>")))
    undo.push(other.close)
    const proxy = await listen(createServer(createProxy(ingestUrl)))
    undo.push(proxy.close)
    const otherToken = encodeToken({
      apiKey: "sk_live_0123456789abcdef0123456789abcdef",
      appId: "another-app",
      regions: ["local"],
    })
    const token = encodeToken({
      apiKey: "sk_live_fedcba9876543210fedcba9876543210",
      appId: "my-app",
      regions: ["local"],
      ingestUrl,
    })
    const scene: Scene = {
      appUrl: origin(appPort),
      ingestUrl,
      deadUrl: origin(deadPort),
      otherUrl: other.origin.replace("127.0.0.1", "localhost"),
      proxyUrl: proxy.origin.replace("127.0.0.1", "localhost"),
      // The same machine by another name is another origin.
      pageUrl: `http://127.0.0.1:${appPort}`,
      data,
      token,
      otherToken,
    }
    const how = toRun?.(scene, stage) ?? {}
    const { env = {}, nodeArgs = "", ingest: settings = "", withoutDev = false, page: pageUrl, before } = how
    await writeFile(join(folder, "server.mjs"), toServer(typeof written === "function" ? written(scene) : written))
    await writeFile(join(folder, "page.js"), script)
    await writeFile(join(folder, "styles.css"), styles)
    const undone = await before?.(scene)
    if (undone !== undefined) undo.push(undone)

    const app = `${JSON.stringify(process.execPath)} ${nodeArgs} server.mjs`
    const shared = { PORT: String(appPort), NODE_ENV: stage }
    let appTerminal: Running
    let ingestTerminal: Running | undefined
    if (stage === "development") {
      const place = { cwd: folder, env: { ...shared, SLUICE_LOG_FORMAT: "text", ...env } }
      appTerminal = start(
        withoutDev ? app : `${command} dev --data ${data} --port ${ingestPort} ${settings} -- ${app}`,
        place,
      )
      running.push(appTerminal)
    } else {
      ingestTerminal = start(`${command} ingest --data ${data} --port ${ingestPort} ${settings}`, {
        cwd: folder,
        env: { SLUICE_TOKEN: token, SLUICE_LOG_FORMAT: "text" },
      })
      running.push(ingestTerminal)
      await ingestTerminal.answers(`${ingestUrl}/ready`, 15_000).catch(() => {})
      appTerminal = start(app, {
        cwd: folder,
        env: { ...shared, SLUICE_TOKEN: token, SLUICE_CALLBACK_URL: `${scene.appUrl}/api/sluice`, ...env },
      })
      running.push(appTerminal)
    }

    const said: Array<string> = []
    let component = ""
    const isUp = await appTerminal.answers(scene.appUrl, 15_000).then(
      () => true,
      () => false,
    )
    if (isUp) {
      const context = await browser.newContext()
      try {
        const page = await context.newPage()
        page.on("pageerror", (error) => said.push(String(error)))
        page.on("console", (message) => {
          if (["error", "warning"].includes(message.type())) said.push(message.text())
        })
        await page.goto(pageUrl ?? scene.appUrl, { waitUntil: "load" })
        const shown = page.locator('[data-sluice="container"]')
        await shown.waitFor()
        // The routes' description is asked for first; a component that knows its route has failed says so by now.
        await page.waitForLoadState("networkidle")
        const input = shown.locator("input[type=file]")
        await input.evaluate((element) => element.removeAttribute("accept"))
        await input.setInputFiles(files.map(toFile)).catch(() => {})
        for (const until = Date.now() + patience; Date.now() < until; await pause(100)) {
          if (["done", "failed"].includes((await shown.getAttribute("data-state")) ?? "")) break
          if ((await shown.locator('[role="alert"]').allInnerTexts()).some((text) => text.trim() !== "")) break
        }
        // What is shown: the voice for screen readers says the same again, sooner or later.
        await shown.locator('[role="status"]').evaluateAll((voices) => voices.forEach((voice) => voice.remove()))
        component = await shown.innerText()
        // What is printed after the answer.
        await pause(700)
        if (stage === "development" && !said.some((text) => text.includes("Sluice"))) {
          // What a component says of its page once that has come to rest.
          await page.waitForEvent("console", { timeout: 3000 }).catch(() => {})
        }
      } finally {
        await context.close()
      }
    }
    const doctor = isUp ? await askDoctor(folder, stage, scene, how) : ""
    return {
      component,
      console: said.join("\n"),
      app: appTerminal.output(),
      ingest: ingestTerminal?.output() ?? "",
      doctor,
    }
  } finally {
    await Promise.all(running.map((each) => each.end()))
    for (const each of undo.reverse()) await each()
    await rm(folder, { recursive: true, force: true })
    await rm(join(data, ".."), { recursive: true, force: true })
  }
}
