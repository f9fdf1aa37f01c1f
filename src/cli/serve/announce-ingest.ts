import { relative } from "node:path"
import { styleText } from "node:util"
import { envName } from "../../protocol.ts"
import { joinHostPort, toLocalUrl } from "./local-url.ts"
import { printEvent } from "../terminal/print-notice.ts"
import { toPrintable } from "../terminal/printable.ts"
import { nameStore } from "../deployment/deployment.ts"
import { findUnknownVariables, isServiceLink } from "../../schema/unknown-variables.ts"
import type { SettingSource } from "../settings/setting-options.ts"
import { ingestSettings, otherVariables } from "../settings/settings.ts"
import type { StartedIngest } from "./with-ingest.ts"
import { printFacts } from "../terminal/table.ts"

const isLoopback = (host: string): boolean => host === "localhost" || host === "::1" || host.startsWith("127.")

const quote = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`)

/** The shortest form of a path from the working directory. */
export const toNearPath = (path: string): string => {
  const near = relative(process.cwd(), path)
  return near.startsWith("..") ? path : near
}

/** How to get the token from its file into an app's environment without showing it. */
const handOver = (tokenFile: string): string => {
  const path = quote(toNearPath(tokenFile))
  return process.platform === "win32"
    ? `$env:${envName("token")} = Get-Content ${path}`
    : `export ${envName("token")}="$(cat ${path})"`
}

const tokenStates = { made: "made just now, only you can read it", kept: "kept", moved: "kept, now with this URL" }

const withNote = (value: string, note: string): string => `${value}  ${styleText("dim", `(${note})`)}`

/** The environment as it is looked up: Windows ignores case. */
const readVariables = (): NodeJS.ProcessEnv =>
  process.platform === "win32"
    ? Object.fromEntries(Object.entries(process.env).map(([name, value]) => [name.toUpperCase(), value]))
    : process.env

/** Warns of a Kubernetes Service with the name of our prefix, whose description is where a port should be. */
const describeServiceLink = (sources: ReadonlyArray<SettingSource>): ReadonlyArray<string> => {
  const variable = envName("port")
  const value = process.env[variable] ?? ""
  if (!isServiceLink(value) || sources.some(({ name }) => name === "port")) return []
  return [
    `${variable}=${value} comes from Kubernetes, for a Service named sluice, and is not a port: it is ignored. ` +
      "Set the port with --port, or let the pod have no such variables: enableServiceLinks: false.",
  ]
}

/** Warnings for the user about the token, about who could read the data folder, and about variables that nothing reads. */
const warningsOf = (
  { warning, notes, deployment }: StartedIngest,
  sources: ReadonlyArray<SettingSource>,
): ReadonlyArray<string> => [
  ...deployment.notes,
  ...(warning === null ? [] : [warning]),
  ...notes,
  ...describeServiceLink(sources),
  ...findUnknownVariables(readVariables(), [...Object.keys(ingestSettings), ...otherVariables]),
]

/** Prints what is wrong with the token, the data folder or the environment, if anything is. */
export const printWarnings = (ingest: StartedIngest, sources: ReadonlyArray<SettingSource>): void => {
  for (const warning of warningsOf(ingest, sources)) console.warn(`\n${styleText("yellow", toPrintable(warning))}`)
}

/** Where files and catalog are, for one line of the announcement. */
const describeData = ({ folder, database, store }: StartedIngest["deployment"]): string => {
  const catalog = database === null ? "catalog in SQLite" : `catalog in PostgreSQL ${database.place}`
  const files = `files ${nameStore(store)}`
  if (folder === null) return `${files}, ${catalog}`
  return withNote(folder.path, store.kind === "module" ? catalog : `${files}, ${catalog}`)
}

/** Prints what the ingest runs on, which settings were given and where, and how an app gets the token. */
export const announceIngest = (ingest: StartedIngest, sources: ReadonlyArray<SettingSource>): void => {
  const { url, host, port, deployment, token, keptToken } = ingest
  const { folder } = deployment
  console.log(styleText("bold", "The Sluice ingest is running.\n"))
  printFacts([
    ["  Public URL", url],
    ["  Listens on", joinHostPort(host, port)],
    ["  Data", describeData(deployment)],
    ["  App", toPrintable(token.appId)],
    [
      "  Token",
      folder === null || keptToken === null
        ? `from ${envName("token")}`
        : withNote(folder.tokenFile, tokenStates[keptToken]),
    ],
    ...sources.map(
      ({ name, text, source }, index) =>
        [index === 0 ? "  Set" : "", withNote(`${name} = ${toPrintable(text)}`, toNearPath(source))] as const,
    ),
  ])
  if (folder !== null && keptToken !== null) {
    console.log(`\nGive the token to your app's server (a browser must never see it):\n`)
    console.log(`  ${styleText("cyan", handOver(folder.tokenFile))}`)
  }
  printWarnings(ingest, sources)
  if (!isLoopback(host) && url === toLocalUrl("localhost", port) && !sources.some(({ name }) => name === "url")) {
    console.warn(`\nOther machines cannot use ${url}: say with --url how they reach this ingest.`)
  }
  console.log(`\n${styleText("dim", "Ctrl-C stops it.")}`)
}

/** The same as one line of JSON, for scripts. */
export const announceIngestAsJson = (ingest: StartedIngest, settings: ReadonlyArray<SettingSource>): void => {
  const { url, host, port, deployment, token, keptToken } = ingest
  const { folder, database } = deployment
  const tokenFile = folder === null || keptToken === null ? null : folder.tokenFile
  const data = { data: folder?.path ?? null, ...(database !== null && { database: database.place }) }
  const facts = { url, host, port, ...data, tokenFile, appId: token.appId, settings }
  printEvent("listening", "info", `The ingest listens on ${joinHostPort(host, port)}.`, { ...facts, pid: process.pid })
  for (const message of warningsOf(ingest, settings)) printEvent("warning", "warning", message)
}
