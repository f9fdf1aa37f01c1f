import { existsSync, mkdirSync, readFileSync, renameSync, rmSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join, resolve } from "node:path"
import { type Browser, type BrowserContext, chromium } from "playwright-core"

const packageRoot = (entry: string): string => {
  let folder = dirname(entry)
  while (!existsSync(join(folder, "package.json"))) folder = dirname(folder)
  return folder
}

/**
 * Unpacks the Chromium inside `@sparticuz/chromium` into `node_modules/.cache`, once per version.
 *
 * The package unpacks in place into the temp folder, under a name without a version, and two processes doing so at
 * once break each other (ETXTBSY). So each unpacks into a folder of its own, and a rename decides.
 */
const unpack = async (): Promise<string> => {
  const root = packageRoot(createRequire(import.meta.url).resolve("@sparticuz/chromium"))
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }
  const folder = resolve(import.meta.dirname, `../../node_modules/.cache/chromium-${version}`)
  const executable = join(folder, "chromium")
  if (existsSync(executable)) return executable
  const own = `${folder}.${process.pid}`
  mkdirSync(own, { recursive: true })
  const temp = process.env["TMPDIR"]
  process.env["TMPDIR"] = own
  try {
    const { default: packed } = await import("@sparticuz/chromium")
    await packed.executablePath(join(root, "bin"))
  } finally {
    if (temp === undefined) delete process.env["TMPDIR"]
    else process.env["TMPDIR"] = temp
  }
  try {
    renameSync(own, folder)
  } catch {
    // another process was first
    rmSync(own, { recursive: true, force: true })
  }
  return executable
}

/** Debian's as people use it, and the one without a window, which takes half the CPU time for the same pages. */
const [whole, shell] = ["/usr/bin/chromium", "/usr/bin/chromium-headless-shell"] as const

const find = async (...installed: ReadonlyArray<string>): Promise<string> =>
  process.env["CHROMIUM_PATH"] || installed.find((path) => existsSync(path)) || unpack()

/** Where a Chromium is: `CHROMIUM_PATH`, the system's, else the one that came with the devDependencies, which has no window either. */
export const findChromium = (): Promise<string> => find(shell, whole)

const args = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]

/** Starts Chromium with web security as users have it, so that a CORS mistake fails a test. */
export const launchChromium = async (): Promise<Browser> =>
  chromium.launch({ executablePath: await findChromium(), args })

/** The same with the Chromium that people have, if there is one: for what is measured. */
export const launchWholeChromium = async (): Promise<Browser> =>
  chromium.launch({ executablePath: await find(whole, shell), args })

/**
 * The same with a profile on disk, as at home. The contexts of {@link launchChromium} are private windows, in which
 * Chromium 153 crashes when a file handle is read back from IndexedDB. Its pages share a process, as tabs of one site do where
 * memory is short: a process for each costs a third of what a short test does.
 */
export const launchProfile = async (folder: string): Promise<BrowserContext> =>
  chromium.launchPersistentContext(folder, {
    executablePath: await findChromium(),
    args: [...args, "--renderer-process-limit=1"],
  })
