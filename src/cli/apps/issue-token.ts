import { createKeyId } from "../../ingest.ts"
import { encodeToken, envName, type Token } from "../../protocol.ts"
import { createApiKey } from "../create-token.ts"
import type { DataFolder } from "../data-folder.ts"
import { readConfigFile } from "../settings/config-file.ts"
import { ingestSettings } from "../settings/settings.ts"
import { readOwnTokens } from "./own-tokens.ts"

/** What a command that makes a key is told. */
export interface IssueOptions {
  readonly data: string
  readonly config?: string | undefined
  readonly ingestUrl?: string | undefined
  readonly json?: true
}

/** A new key of an app. */
export interface IssuedToken {
  readonly token: Token
  readonly text: string
  readonly keyId: string
}

/**
 * A token with a new key, for the servers of an app. Where the ingest is, it says as the ingest's own token does unless
 * it is told another place; where there is none, as the configuration file.
 */
export const issueToken = async (
  folder: DataFolder,
  appId: string,
  { ingestUrl, config }: IssueOptions,
): Promise<IssuedToken> => {
  const own = await readOwnTokens(folder)
  const place = own.find(({ token }) => token.appId === appId) ?? own[0]
  const settings = place === undefined ? (await readConfigFile(config))?.settings : undefined
  const port = settings?.port ?? ingestSettings.port.initial
  const token: Token = {
    apiKey: createApiKey(),
    appId,
    regions: place?.token.regions ?? ["local"],
    ingestUrl:
      ingestUrl ?? (place === undefined ? (settings?.url ?? `http://localhost:${port}`) : place.token.ingestUrl),
  }
  return { token, text: encodeToken(token), keyId: createKeyId(token.apiKey) }
}

/** Prints a token on standard output and nothing else there, so that it can be piped; advice on standard error. */
export const printToken = ({ token, text, keyId }: IssuedToken, json: true | undefined, advice: string): void => {
  const { appId, regions, ingestUrl = null } = token
  if (json) {
    console.log(JSON.stringify({ token: text, appId, keyId, regions, ingestUrl }))
    return
  }
  console.log(text)
  console.error(`\n${advice}`)
  if (ingestUrl === null) {
    console.error(`The token does not say where the ingest is: set ${envName("ingestUrl")} for the app, too.`)
  }
}
