import { text as readText } from "node:stream/consumers"
import { createKeyId } from "../ingest.ts"
import { encodeAppId, envName, parseToken } from "../protocol.ts"
import { CommandFailure } from "./command-failure.ts"
import { createToken, type NewToken } from "./create-token.ts"
import { readKeptToken } from "./deployment/data-folder.ts"
import type { Deployment } from "./deployment/deployment.ts"
import { describeNoToken } from "./deployment/tokens.ts"
import { toPrintable } from "./terminal/printable.ts"

/** `sluice token`: the token on standard output and nothing else, so that it can be piped; advice on standard error. */
export const runTokenCreate = (options: NewToken & { readonly json?: true }): void => {
  const { token, text } = createToken(options)
  if (options.json) {
    const { appId, regions, ingestUrl } = token
    console.log(JSON.stringify({ token: text, appId, regions, ingestUrl }))
    return
  }
  console.log(text)
  console.error(`\nSet it as ${envName("token")} for the app's server and for the ingest. It holds the secret key.`)
}

/** Where `sluice token explain` looks, first match wins: the argument, the environment, the deployment. */
const findToken = async (
  argument: string | undefined,
  deployment: Deployment,
): Promise<{ text: string; source: string }> => {
  if (argument === "-") return { text: await readText(process.stdin), source: "standard input" }
  if (argument !== undefined) return { text: argument, source: "the argument" }
  const variable = process.env[envName("token")]
  if (variable) return { text: variable, source: envName("token") }
  const { folder } = deployment
  const kept = await readKeptToken(folder)
  if (folder !== null && kept !== undefined) return { text: kept.text, source: folder.tokenFile }
  throw new CommandFailure(`There is no token to explain: none given, ${describeNoToken(deployment)}`)
}

/** `sluice token explain`: the content of a token, never the key. */
export const runTokenExplain = async (
  argument: string | undefined,
  deployment: Deployment,
  { json }: { readonly json?: true },
): Promise<void> => {
  const found = await findToken(argument, deployment)
  const parsed = parseToken(found.text)
  if (!parsed.ok) {
    if (!json) throw new CommandFailure(parsed.detail)
    console.log(JSON.stringify({ valid: false, source: found.source, code: parsed.code, detail: parsed.detail }))
    process.exitCode = 1
    return
  }
  const { appId, regions, ingestUrl = null } = parsed.value
  const fileKeyPrefix = encodeAppId(appId)
  const keyId = createKeyId(parsed.value.apiKey)
  if (json) {
    console.log(JSON.stringify({ valid: true, source: found.source, appId, keyId, regions, ingestUrl, fileKeyPrefix }))
    return
  }
  const rows: ReadonlyArray<readonly [string, string]> = [
    ["Source", found.source],
    ["App", toPrintable(appId)],
    ["Key", `${keyId} (the secret itself is hidden)`],
    ["Regions", toPrintable(regions.join(", "))],
    ["Ingest", ingestUrl === null ? `not named: set ${envName("ingestUrl")} for the app` : toPrintable(ingestUrl)],
    ["File keys", `start with ${fileKeyPrefix}`],
  ]
  for (const [name, value] of rows) console.log(`${name.padEnd(11)}${value}`)
}
