import { createHash } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import type { IncomingHttpHeaders } from "node:http"
import { connect, createServer, type AddressInfo, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { SluiceApi } from "../../../src/api.ts"
import type { IngestOptions } from "../../../src/ingest.ts"
import { encodeToken } from "../../../src/protocol.ts"
import { apiKey, appId, listen, startIngest } from "../../ingest/circle.ts"
import { type CommandOptions, runCommand, startCommand } from "../run-command.ts"

/** The SHA-256 of a content, in hex. */
export const sha256 = (content: string | Uint8Array): string => createHash("sha256").update(content).digest("hex")

/** An empty folder, removed with the test. */
export const makeFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-by-hand-"))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

/** The token of the app of the tests, for an ingest at a URL. */
export const tokenFor = (ingestUrl: string): string => encodeToken({ apiKey, appId, regions: ["local"], ingestUrl })

/** The command as that app runs it in a folder, and the server API to look at what it did. */
export const createHand = (url: string, folder: string) => {
  const token = tokenFor(url)
  const options = (more: CommandOptions) => ({ cwd: folder, ...more, env: { SLUICE_TOKEN: token, ...more.env } })
  return {
    folder,
    token,
    api: new SluiceApi({ token, logLevel: "None" }),
    run: (args: ReadonlyArray<string>, more: CommandOptions = {}) => runCommand(args, options(more)),
    start: (args: ReadonlyArray<string>, more: CommandOptions = {}) => startCommand(args, options(more)),
    write: async (name: string, content: string | Uint8Array): Promise<string> => {
      await writeFile(join(folder, name), content)
      return name
    },
  }
}

/** An ingest in this process, and the command beside it in a folder. */
export const startByHand = async (settings: Partial<IngestOptions> = {}) => {
  const ingest = await startIngest(settings)
  return { ingest, url: ingest.url, ...createHand(ingest.url, await makeFolder()) }
}

/** An answer of the ingest on its way. */
export interface Passing {
  readonly method: string
  readonly path: string
  readonly asked: IncomingHttpHeaders
  readonly sent: Buffer
  /** Ends the connection after this many bytes of the body, once `when` is done. */
  cut?: { readonly at: number; readonly when: Promise<unknown> }
  status: number
  readonly headers: Headers
  body: Buffer
}

/** An ingest behind a server that changes its answers, or holds them. */
export const startBehind = async (
  change: (passing: Passing) => void | Promise<void>,
  settings: Partial<IngestOptions> = {},
) => {
  let target = ""
  const url = await listen(async (request, response) => {
    const parts: Array<Uint8Array> = []
    for await (const part of request) parts.push(part)
    const { method = "GET", url: path = "/" } = request
    const sent = Buffer.concat(parts)
    const { host: _, connection: __, ...headers } = request.headers
    const answer = await fetch(`${target}${path}`, {
      method,
      headers: headers as Record<string, string>,
      ...(sent.length > 0 && { body: sent }),
    })
    const body = Buffer.from(await answer.arrayBuffer())
    const { status } = answer
    const asked = request.headers
    const passing: Passing = { method, path, asked, sent, status, headers: new Headers(answer.headers), body }
    await change(passing)
    if (method !== "HEAD") passing.headers.set("content-length", `${passing.body.length}`)
    response.writeHead(passing.status, Object.fromEntries(passing.headers))
    if (passing.cut === undefined) return void response.end(passing.body)
    response.write(passing.body.subarray(0, passing.cut.at))
    await passing.cut.when
    request.socket.destroy()
  })
  const ingest = await startIngest({ ...settings, url })
  target = ingest.url
  return { ingest, url, ...createHand(url, await makeFolder()) }
}

/** The lines of an output as JSON. */
export const toDocuments = (text: string): ReadonlyArray<any> =>
  text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))

/** A server on a port of its own in front of another one, whose connections can be cut. */
export const startRelay = async (port: () => number) => {
  const pairs = new Set<readonly [Socket, Socket]>()
  const watching: Array<{ limit: number; cut: () => void }> = []
  const sent = { up: 0, down: 0 }
  const server = createServer((client) => {
    const upstream = connect(port(), "127.0.0.1")
    const pair = [client, upstream] as const
    pairs.add(pair)
    for (const [one, other, way] of [
      [client, upstream, "up"],
      [upstream, client, "down"],
    ] as const) {
      one.on("data", (chunk: Buffer) => {
        sent[way] += chunk.length
        other.write(chunk)
        for (const watch of watching.splice(0)) {
          if (sent[way] < watch.limit) watching.push(watch)
          else watch.cut()
        }
      })
      one.on("error", () => {})
      one.on("close", () => {
        other.destroy()
        pairs.delete(pair)
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const cut = () => {
    for (const pair of pairs) for (const socket of pair) socket.destroy()
  }
  onTestFinished(() => {
    cut()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    sent,
    cut,
    /** Resolves when one direction has carried this many bytes, after all connections were cut. */
    cutAfter: (limit: number) =>
      new Promise<void>((resolve) => {
        watching.push({
          limit,
          cut: () => {
            cut()
            resolve()
          },
        })
      }),
  }
}
