import { mkdir } from "node:fs/promises"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { findFreePort } from "../adapters/apps/listen.ts"
import type { Application, Command, Production, Site } from "./application.ts"
import { type Advice, followInit } from "./follow-init.ts"
import { lookAtPage } from "./look-at-page.ts"
import { run, type Running, start } from "./shell.ts"

/** One thing a newcomer does. */
export interface Step {
  readonly name: string
  readonly ms: number
  /** Waiting for a registry: what the project cannot make faster. */
  readonly isDownload: boolean
  /** What is typed, where that is a command of Sluice's own start. */
  readonly command?: string | undefined
  readonly faults: ReadonlyArray<string>
}

/** How a newcomer fared. */
export interface Trial {
  readonly title: string
  readonly steps: ReadonlyArray<Step>
  readonly faults: ReadonlyArray<string>
  readonly screenshots: ReadonlyArray<string>
  /** From the first command to the first file that has arrived, without downloads. */
  readonly firstUpload: { readonly ms: number; readonly commands: number } | undefined
}

interface Doctor {
  readonly ok: boolean
  readonly checks: ReadonlyArray<{ readonly check: string; readonly status: string; readonly message: string }>
}

const messageOf = (thrown: unknown) => (thrown instanceof Error ? thrown.message : String(thrown))

/** Faults of a doctor's report: all that failed, and a report that is none. */
const askDoctor = async (place: Command): Promise<ReadonlyArray<string>> => {
  // Its exit code says the same as its report, and the report says why.
  const { stdout } = await run(`${place.line} || true`, place)
  const { ok, checks } = JSON.parse(stdout) as Doctor
  const failed = checks.filter(({ status }) => status === "failed").map(({ check, message }) => `${check}: ${message}`)
  return ok || failed.length > 0 ? failed : ["doctor says that something is wrong, and not what"]
}

/**
 * Does all that a newcomer does with one application, in an empty folder, with nothing but the packed tarball.
 *
 * @param root an empty folder outside of any repository
 * @param screenshots where pictures of the pages go
 * @returns what was done and what was off; a step that fails ends it
 */
export const tryApplication = async (
  {
    title,
    generate,
    hasOwnTheme = false,
    ownComplaint,
    toolbar,
    folders,
    edit,
    develop,
    build,
    serve,
    checks,
    walk,
  }: Application,
  {
    root,
    screenshots: pictures,
    tarball,
    browser,
    onStep,
  }: {
    readonly root: string
    readonly screenshots: string
    readonly tarball: string
    readonly browser: Browser
    readonly onStep?: (step: Step) => void
  },
): Promise<Trial> => {
  const steps: Array<Step> = []
  const screenshots: Array<string> = []
  const running: Array<Running> = []
  let firstUpload: Trial["firstUpload"]
  let hasStopped = false

  const step = async (
    name: string,
    act: () => Promise<ReadonlyArray<string> | void>,
    { isDownload = false, command }: { readonly isDownload?: boolean; readonly command?: string } = {},
  ): Promise<void> => {
    if (hasStopped) return
    const begun = performance.now()
    let faults: ReadonlyArray<string>
    try {
      faults = (await act()) ?? []
    } catch (thrown) {
      hasStopped = true
      faults = [messageOf(thrown)]
    }
    const done = { name, ms: performance.now() - begun, isDownload, command, faults }
    steps.push(done)
    onStep?.(done)
  }
  const stopAll = async () => {
    await Promise.all(running.splice(0).map((each) => each.end()))
  }

  const appPort = await findFreePort()
  const site: Site = { root, appPort, pagePort: await findFreePort() }
  const advice: Array<Advice> = []
  const [first] = folders
  const pagePortOf = (count: number) => (count > 1 ? site.pagePort : appPort)
  const originOf = (port: number) => `http://localhost:${port}`
  let app: Running | undefined

  try {
    await mkdir(pictures, { recursive: true })
    await step("the generator, and what it installs", () => generate(site), { isDownload: true })
    await step(
      "npm install",
      async () => {
        for (const folder of folders) await run(`npm install ${tarball}`, { cwd: join(root, folder) })
      },
      { command: "npm install sluice.tgz" },
    )
    await step(
      "sluice init",
      async () => {
        for (const folder of folders) advice.push(await followInit({ cwd: join(root, folder) }))
        return advice.flatMap(({ faults }) => faults)
      },
      { command: "npx sluice init --yes" },
    )
    await step("what init leaves to people", () => edit(site, advice))
    const commands = develop(site)
    const devOrigin = originOf(pagePortOf(commands.length))
    await step(
      "the development server is up",
      async () => {
        running.push(...commands.map((command) => start(command.line, command)))
        app = running[0]
        await running.at(-1)!.answers(devOrigin)
        // Until its server is up, too, the page's proxy answers 502.
        if (commands.length > 1) await app!.answers(`${originOf(appPort)}/api/sluice`)
      },
      { command: "npm run dev" },
    )
    await step("upload in development", async () => {
      const look = await lookAtPage(browser, {
        origin: devOrigin,
        app: app!,
        folder: pictures,
        hasOwnTheme,
        ownComplaint,
        toolbar,
        name: "development",
      })
      screenshots.push(...look.screenshots)
      const counted = steps.filter(({ isDownload }) => !isDownload)
      firstUpload = {
        ms: counted.reduce((sum, { ms }) => sum + ms, 0) + look.toFirstUpload,
        commands: counted.filter(({ command }) => command !== undefined).length,
      }
      return look.faults
    })
    const cwd = join(root, first!)
    await step("doctor in development", () => askDoctor({ line: "npx sluice doctor --json", cwd }))
    await step("the development server ends", stopAll)
    if (walk !== undefined) await step(`${walk.title} is followed`, () => walk.follow(site))
    for (const command of build(site)) {
      await step(`production: ${command.line}`, async () => void (await run(command.line, command)))
    }
    for (const command of checks(site)) {
      await step(`checks: ${command.line}`, async () => void (await run(command.line, command)))
    }

    const ingestPort = await findFreePort()
    const data = join(root, "uploads")
    const callbackUrl = `${originOf(appPort)}/api/sluice`
    let token = ""
    await step("production: ingest and app are up", async () => {
      const ingest = start(`npx sluice ingest --data ${data} --port ${ingestPort} --url ${originOf(ingestPort)}`, {
        cwd,
      })
      running.push(ingest)
      await ingest.answers(`${originOf(ingestPort)}/ready`)
      token = readFileSync(join(data, "token"), "utf8").trim()
      const command = serve(site)
      app = start(command.line, {
        ...command,
        env: { ...command.env, SLUICE_TOKEN: token, SLUICE_CALLBACK_URL: callbackUrl },
      })
      running.push(app)
      await app.answers(originOf(appPort))
    })
    await step("upload in production", async () => {
      const look = await lookAtPage(browser, {
        origin: originOf(appPort),
        app: app!,
        folder: pictures,
        hasOwnTheme,
        ownComplaint,
        toolbar,
        name: "production",
      })
      screenshots.push(...look.screenshots)
      return look.faults
    })
    const production: Production = {
      browser,
      origin: originOf(appPort),
      ingest: originOf(ingestPort),
      ask: async (line) => (await run(`npx sluice ${line} --data ${data}`, { cwd })).stdout,
    }
    for (const { name, act } of walk?.visit(production) ?? []) await step(`${walk!.title}: ${name}`, act)
    await step("doctor in production", () =>
      askDoctor({
        line: `npx sluice doctor --json --data ${data} --url ${originOf(ingestPort)} --callback-url ${callbackUrl}`,
        cwd,
        env: { SLUICE_TOKEN: token },
      }),
    )
  } finally {
    await stopAll()
  }
  return {
    title,
    steps,
    screenshots,
    firstUpload,
    faults: steps.flatMap(({ name, faults }) => faults.map((fault) => `${name}: ${fault}`)),
  }
}
