import { once } from "node:events"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { readPrintedToken, startCommand } from "../cli/run-command.ts"
import { makeProxyFolders, type proxies, type ProxyPlan } from "./proxies.ts"

/** A port that was free a moment ago. */
export const findPort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  return port
}

/** What is not as in the docs: flags of `sluice ingest`, and texts of the proxy's configuration. */
interface Changes {
  readonly flags?: ReadonlyArray<string>
  readonly changes?: ProxyPlan["changes"]
}

/** An ingest with a proxy of the docs in front, for one test. */
export const setUpProxy = async (
  startProxy: (typeof proxies)[number]["start"],
  mount: ProxyPlan["mount"],
  { flags = [], changes = [] }: Changes = {},
) => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-proxy-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await makeProxyFolders(folder)
  const port = await findPort()
  const url = `http://127.0.0.1:${port}${mount === "root" ? "" : "/files"}`
  const data = join(folder, "data")
  const ingest = startCommand(["ingest", "--data", data, "--port", "0", "--url", url, "--json", ...flags])
  onTestFinished(async () => {
    ingest.child.kill("SIGTERM")
    await ingest.ended
  })
  const listening = JSON.parse(await ingest.line((line) => line.includes('"listening"')))
  const proxy = await startProxy({ folder, port, ingestPort: listening.port, mount, changes })
  onTestFinished(proxy.stop)
  const token = readPrintedToken((await readFile(join(data, "token"), "utf8")).trim())
  return { folder, data, url, ingest, proxy, token }
}
