import { execFileSync } from "node:child_process"
import { existsSync, readFileSync } from "node:fs"
import type { Browser, Page } from "playwright-core"

/** Memory of the process that a page runs in. */
interface PageMemory {
  /** Resident, in MB (1e6 bytes). */
  readonly read: () => number
  /** Looks every 20 ms. @returns ends that, and gives the most it has seen */
  readonly watch: () => () => number
}

const readResident = (pid: number): number => {
  const status = `/proc/${pid}/status`
  const kibibytes = existsSync(status)
    ? /VmRSS:\s+(\d+)/.exec(readFileSync(status, "utf8"))?.[1]
    : execFileSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" })
  return (Number(kibibytes) * 1024) / 1e6
}

/** Finds the process of a page, which the browser does not name: the one that grows when the page does. */
export const findPageMemory = async (browser: Browser, page: Page): Promise<PageMemory> => {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send("SystemInfo.getProcessInfo")
  await session.detach()
  const renderers = processInfo.filter(({ type }) => type === "renderer").map(({ id }) => id)
  const before = new Map(renderers.map((id) => [id, readResident(id)]))
  await page.evaluate(() => Object.assign(window, { ballast: new Uint8Array(128e6).fill(1) }))
  const growth = (id: number) => readResident(id) - before.get(id)!
  const pid = renderers.map((id) => [growth(id), id] as const).toSorted(([a], [b]) => b - a)[0]![1]
  await page.evaluate(() => Reflect.deleteProperty(window, "ballast"))
  await page.requestGC()
  const read = () => readResident(pid)
  return {
    read,
    watch: () => {
      let most = read()
      const timer = setInterval(() => (most = Math.max(most, read())), 20)
      return () => {
        clearInterval(timer)
        return most
      }
    },
  }
}
