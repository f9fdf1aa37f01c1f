import { createKeyId } from "../../ingest.ts"
import { encodeToken, envName, type Token } from "../../protocol.ts"
import { createApiKey } from "../create-token.ts"
import type { Deployment } from "../deployment/deployment.ts"
import { requireSafeFolder } from "../deployment/data-folder-access.ts"
import { readConfigFile } from "../settings/config-file.ts"
import { ingestSettings } from "../settings/settings.ts"
import { readOwnTokens } from "../deployment/tokens.ts"
import type { TokenFile, TokenFileOptions } from "./token-file.ts"

/** The options of a command that makes a key. */
export interface IssueOptions extends TokenFileOptions {
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
 * A token with a new key, for the servers of an app. Its ingest URL is that of the ingest's own token unless another
 * one is given; without such a token, that of the configuration file.
 *
 * Fails: with a `CommandFailure` where the folder is not safe for secrets.
 */
export const issueToken = async (
  deployment: Deployment,
  appId: string,
  { ingestUrl, config }: IssueOptions,
): Promise<IssuedToken> => {
  if (deployment.folder !== null) await requireSafeFolder(deployment.folder.path)
  const own = await readOwnTokens(deployment)
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

/**
 * Hands a token over: into its file where there is one, otherwise on standard output and nothing else there, so that
 * it can be piped; advice goes to standard error.
 */
export const handOverToken = async (
  { token, text, keyId }: IssuedToken,
  { json, file }: { readonly json: true | undefined; readonly file: TokenFile | undefined },
  advice: string,
): Promise<void> => {
  const { appId, regions, ingestUrl = null } = token
  await file?.write(text)
  if (json) {
    const place = file === undefined ? { token: text } : { out: file.path }
    console.log(JSON.stringify({ ...place, appId, keyId, regions, ingestUrl }))
    return
  }
  if (file === undefined) console.log(text)
  else console.error(`The token is in ${file.path}, which only you can read.`)
  console.error(`\n${advice}`)
  if (ingestUrl === null) {
    console.error(`The token does not say where the ingest is: set ${envName("ingestUrl")} for the app, too.`)
  }
}
