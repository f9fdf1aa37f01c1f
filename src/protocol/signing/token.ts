import { decodeBase64, encodeBase64 } from "../base64.ts"
import { names, envName } from "../names.ts"
import { accept, type Outcome, refuse } from "../errors/outcome.ts"

/** The content of a token: the app's id, its secret, and where its ingest is. */
export interface Token {
  /** `sk_…`, signs URLs and callbacks. Secret. */
  readonly apiKey: string
  readonly appId: string
  /** Never empty; the first is the default. */
  readonly regions: readonly [string, ...Array<string>]
  /** May contain `{region}`. Absent where the `ingestUrl` option is given. */
  readonly ingestUrl?: string | undefined
}

const toBase64 = (text: string): string => encodeBase64(new TextEncoder().encode(text))

const fromBase64 = (base64: string): string => new TextDecoder("utf-8", { fatal: true }).decode(decodeBase64(base64))

/** Writes a token: standard base64, padded, of its JSON. Source: docs/protocol.md §2. */
export const encodeToken = (token: Token): string =>
  toBase64(
    JSON.stringify({
      apiKey: token.apiKey,
      appId: token.appId,
      regions: token.regions,
      ...(token.ingestUrl === undefined ? undefined : { ingestUrl: token.ingestUrl }),
    }),
  )

const variable = envName("token")
const remedy = `Copy the token again, or make one with \`${names.word} token\`.`

/**
 * Reads a token.
 *
 * Shape:  base64 (standard alphabet, padded) of `{ apiKey, appId, regions, ingestUrl? }`.
 * Fails:  as a value, code INVALID_TOKEN; the detail names the field and never holds the key. Never throws.
 * Source: docs/protocol.md §2.
 */
export const parseToken = (text: string | null | undefined): Outcome<Token> => {
  const invalid = (what: string) => refuse("INVALID_TOKEN", `${what} ${remedy}`)
  if (typeof text !== "string" || text.trim() === "") {
    return refuse("INVALID_TOKEN", `There is no token. Set ${variable} to what \`${names.word} token\` prints.`)
  }
  const trimmed = text.trim()
  if (/^(export\s+)?[A-Z][A-Z0-9_]*\s*=/.test(trimmed) || /^(["'`]).*\1$/s.test(trimmed)) {
    return refuse(
      "INVALID_TOKEN",
      `The token holds the whole line or its quotes. Keep only what stands between the quotes of ${variable}='…'.`,
    )
  }
  let json: unknown
  try {
    json = JSON.parse(fromBase64(trimmed))
  } catch (cause) {
    return invalid(cause instanceof SyntaxError ? "The token's content is not JSON." : "The token is not base64.")
  }
  if (typeof json !== "object" || json === null || Array.isArray(json)) {
    return invalid("The token's content is not a JSON object.")
  }
  const { apiKey, appId, regions, ingestUrl } = json as Record<string, unknown>
  if (typeof apiKey !== "string") return invalid("The token's field `apiKey` is missing or not a string.")
  if (!apiKey.startsWith("sk_") || apiKey.length < 4) {
    return invalid("The token's field `apiKey` does not start with `sk_`.")
  }
  if (!/^[\w.~+/=-]+$/.test(apiKey)) {
    return invalid("The token's field `apiKey` holds characters other than letters, digits and `-._~+/=`.")
  }
  if (typeof appId !== "string" || appId === "") return invalid("The token's field `appId` is missing or not a string.")
  if (!Array.isArray(regions) || !regions.every((region) => typeof region === "string" && region !== "")) {
    return invalid("The token's field `regions` is missing or not a list of strings.")
  }
  const [region, ...others] = regions as Array<string>
  if (region === undefined) return invalid("The token's field `regions` is empty.")
  if (ingestUrl !== undefined && (typeof ingestUrl !== "string" || !/^https?:\/\/./.test(ingestUrl))) {
    return invalid("The token's field `ingestUrl` is not an http(s) URL.")
  }
  return accept({ apiKey, appId, regions: [region, ...others], ingestUrl })
}

/**
 * The base URL of the ingest, normalised (host in lower case, no default port, no slash at the end): the option if it
 * is given (the region is then ignored), otherwise the token's with `{region}` filled in.
 *
 * Fails:  as a value, code INVALID_CONFIG when neither names one, or it is not an http(s) URL that paths can be added
 *         to.
 * Source: docs/protocol.md §2.
 */
export const resolveIngestUrl = (token: Token, option?: string): Outcome<string> => {
  const url = option ?? token.ingestUrl?.replaceAll("{region}", token.regions[0])
  if (url === undefined) {
    return refuse(
      "INVALID_CONFIG",
      `Neither the token nor the option \`ingestUrl\` (${envName("ingestUrl")}) says where the ingest is.`,
    )
  }
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    return refuse("INVALID_CONFIG", `The ingest URL ${JSON.stringify(url)} is not an http(s) URL.`)
  }
  const { origin, pathname, username, password } = new URL(url)
  if (username !== "" || password !== "") {
    return refuse(
      "INVALID_CONFIG",
      "The ingest URL holds a user name or password. Only scheme, host, port and path fit.",
    )
  }
  if (/[?#]/.test(url)) {
    return refuse("INVALID_CONFIG", `The ingest URL ${JSON.stringify(url)} holds a query or fragment. Remove it.`)
  }
  return accept(origin + pathname.replace(/\/+$/, ""))
}
