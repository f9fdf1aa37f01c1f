/*
 * An app in this process and its ingest in another one, which is stopped or killed and started again under the same
 * URL. For what has to hold over a restart.
 */
import { connect, createServer, type AddressInfo, type Socket } from "node:net"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { toNodeListener } from "../../adapters/node/to-node-listener.ts"
import { SluiceApi } from "../../src/api.ts"
import type { IngestOptions } from "../../src/ingest.ts"
import { encodeToken } from "../../src/protocol.ts"
import { createRouteHandler, createSluice } from "../../src/server.ts"
import { apiKey, appId, listen } from "../ingest/circle.ts"
import { makeFolder } from "../make-folder.ts"
import { bundleIngestServer, type IngestProcess } from "../reliability/ingest-process.ts"
import { postAction, presignedOf } from "./post-action.ts"

/** A port that stays while what listens behind it comes and goes. */
const startRelay = async (): Promise<{ readonly url: string; target: number }> => {
  const relay = { url: "", target: 0 }
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(relay.target, "127.0.0.1")
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from)
      from.on("error", () => to.destroy()).on("close", () => to.destroy())
      from.pipe(to)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  relay.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return relay
}

/** A real app and a real ingest in a process of its own, which can be stopped, killed and started again under its URL. */
export const startRestartableCircle = async (options: Partial<IngestOptions> = {}) => {
  const folder = await makeFolder()
  const startProcess = await bundleIngestServer(folder)
  const relay = await startRelay()
  const ingestUrl = relay.url
  const token = encodeToken({ apiKey, appId, regions: ["local"], ingestUrl })
  const data = join(folder, "data")
  let running: IngestProcess
  const start = async (): Promise<void> => {
    running = startProcess({ folder: data, token, url: ingestUrl, logLevel: "Error", sweepInterval: 20, ...options })
    const { child } = running
    onTestFinished(() => void child.kill("SIGKILL"))
    const port = await running.port
    if (port === undefined) throw new Error(`The ingest did not start: ${running.errors()}`)
    relay.target = port
  }
  await start()

  /** What the app was told, by key. */
  const heard: Array<string> = []
  const f = createSluice()
  const router = {
    notes: f({ blob: { maxFileSize: "4MB", maxFileCount: 1000 } }, { awaitServerData: false })
      .middleware(async () => ({ userId: 7 }))
      .onUploadComplete(async ({ file }) => {
        heard.push(file.key)
      }),
    /** The same name is the same key. */
    profiles: f(
      { blob: { maxFileSize: "4MB" } },
      { awaitServerData: false, fileKeySeed: (file: { readonly name: string }) => file.name },
    )
      .middleware(async () => ({ userId: 7 }))
      .onUploadComplete(async ({ file }) => {
        heard.push(file.key)
      }),
  }
  let handle: (request: Request) => Promise<Response> = async () => new Response(null, { status: 503 })
  const appUrl = `${await listen(toNodeListener((request) => handle(request)))}/api/sluice`
  handle = createRouteHandler({ router, token, callbackUrl: appUrl, isDev: false, logLevel: "None" })

  return {
    ingestUrl,
    appUrl,
    data,
    heard,
    api: new SluiceApi({ token }),
    /** Files of random content are asked for as `application/octet-stream`. */
    request: async (slug: string, named: ReadonlyArray<{ readonly name: string; readonly size: number }>) => {
      const files = named.map((file) => ({ ...file, type: "application/octet-stream" }))
      return presignedOf(await postAction(appUrl, "upload", slug, { files }))
    },
    renew: async (slug: string, url: string) => presignedOf(await postAction(appUrl, "renew", slug, { urls: [url] })),
    start,
    errors: () => running.errors(),
    stop: () => running.stop(),
    kill: () => running.kill(),
    /** Ends it and starts it again. */
    restart: async (how: "stop" | "kill") => {
      await running[how]()
      await start()
    },
  }
}
