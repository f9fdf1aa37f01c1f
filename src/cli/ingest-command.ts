import { relative } from "node:path"
import { styleText } from "node:util"
import { envName, formatByteSize, parseToken } from "../protocol.ts"
import { CommandFailure } from "./command-failure.ts"
import { keepToken, type KeptToken, openDataFolder } from "./data-folder.ts"
import { readPeakMemory } from "./peak-memory.ts"
import { listenForIngest, type OpenIngest } from "./serve-ingest.ts"
import { waitForStopRequest } from "./stop-request.ts"

/** The options of `sluice ingest` as commander hands them over. */
export interface IngestOptions {
  readonly host: string
  readonly port: number
  readonly data: string
  readonly url?: string
  readonly logLevel: OpenIngest["logLevel"]
  readonly logFormat?: OpenIngest["logFormat"]
  readonly json?: true
}

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.")

const readTokenVariable = (): Omit<KeptToken, "state"> | undefined => {
  const text = process.env[envName("token")]
  if (!text) return undefined
  const parsed = parseToken(text)
  if (!parsed.ok) throw new CommandFailure(`${envName("token")} is not valid. ${parsed.detail}`)
  return { text, token: parsed.value }
}

const quote = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)

/** How the token gets from its file into an app's environment without anybody seeing it. */
const handOver = (tokenFile: string): string => {
  const near = relative(process.cwd(), tokenFile)
  const path = quote(near.startsWith("..") ? tokenFile : near)
  return process.platform === "win32"
    ? `$env:${envName("token")} = Get-Content ${path}`
    : `export ${envName("token")}="$(cat ${path})"`
}

const tokenStates = { made: "made just now, only you can read it", kept: "kept", moved: "kept, now with this URL" }

/** `sluice ingest`: runs until it is told to stop. */
export const runIngest = async (options: IngestOptions): Promise<void> => {
  const stopRequest = waitForStopRequest()
  const given = readTokenVariable()
  const folder = await openDataFolder(options.data)
  const server = await listenForIngest(options.host, options.port)
  try {
    const url = options.url ?? `http://localhost:${server.port}`
    const kept = given === undefined ? await keepToken(folder, url) : undefined
    const { text, token } = (given ?? kept)!
    const logFormat = options.logFormat ?? (options.json ? "json" : "text")
    server.open({ folder, token: text, url, logLevel: options.logLevel, logFormat })

    const tokenFile = kept === undefined ? null : folder.tokenFile
    if (options.json) {
      const { host } = options
      const facts = { url, host, port: server.port, data: folder.path, tokenFile, appId: token.appId }
      console.log(JSON.stringify({ event: "listening", ...facts, pid: process.pid }))
    } else {
      const row = (name: string, value: string, note = "") =>
        console.log(`  ${styleText("dim", name.padEnd(11))}${value}${note && styleText("dim", `  (${note})`)}`)
      console.log(styleText("bold", "The Sluice ingest is running.\n"))
      row("Public URL", url)
      row("Listens on", `${options.host}:${server.port}`)
      row("Data", folder.path, "files on disk, catalog in SQLite")
      row("App", token.appId)
      if (kept === undefined) row("Token", `from ${envName("token")}`)
      else {
        row("Token", folder.tokenFile, tokenStates[kept.state])
        console.log(`\nGive the token to your app's server (a browser must never see it):\n`)
        console.log(`  ${styleText("cyan", handOver(folder.tokenFile))}`)
      }
      if (!isLoopback(options.host) && options.url === undefined) {
        console.warn(`\nOther machines cannot use ${url}: say with --url how they reach this ingest.`)
      }
      console.log(`\n${styleText("dim", "Ctrl-C stops it.")}`)
    }
    await stopRequest
  } finally {
    await server.close()
  }
  const peakMemory = readPeakMemory()
  if (options.json) console.log(JSON.stringify({ event: "stopped", peakMemory }))
  else console.log(`\nStopped. Peak memory: ${formatByteSize(peakMemory)}.`)
}
