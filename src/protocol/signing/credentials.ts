import { envName } from "../names.ts"
import { accept, type Outcome, refuse } from "../errors/outcome.ts"
import { createSealer, type Sealer } from "./seal.ts"
import { createSigner, type Signer } from "./signature.ts"
import { parseToken, resolveIngestUrl } from "./token.ts"

/** The content of a token, ready for use. */
export interface Credentials {
  /** Secret: only for the header that carries it. */
  readonly apiKey: string
  readonly appId: string
  readonly encodedAppId: string
  /** No slash at the end. */
  readonly ingestUrl: string
  readonly signer: Signer
  readonly sealer: Sealer
}

/**
 * Reads the token and prepares its use: imports the key, encodes the app id. Call it once per app, not per request.
 *
 * Fails:  as a value, codes MISSING_TOKEN, INVALID_TOKEN, INVALID_CONFIG; never with the key in it.
 * Source: docs/protocol.md §2.
 */
export const readCredentials = async (options: {
  readonly token?: string | undefined
  readonly ingestUrl?: string | undefined
}): Promise<Outcome<Credentials>> => {
  if (options.token === undefined) {
    return refuse(
      "MISSING_TOKEN",
      `No token: start the app with \`sluice dev -- <command>\` in development. In production set ${envName("token")} or the option \`token\` to the token of your ingest, the file \`token\` in its data folder.`,
    )
  }
  const token = parseToken(options.token)
  if (!token.ok) return token
  const ingestUrl = resolveIngestUrl(token.value, options.ingestUrl)
  if (!ingestUrl.ok) return ingestUrl
  const { apiKey, appId } = token.value
  // sqids and its block list, 3 kB gzip, are needed only here, so they are loaded here.
  const { encodeAppId } = await import("./app-id.ts")
  const [signer, sealer] = [createSigner(apiKey), createSealer(apiKey)]
  return accept({ apiKey, appId, encodedAppId: encodeAppId(appId), ingestUrl: ingestUrl.value, signer, sealer })
}
