import { envName, parseToken, type Token } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import { readKeptToken } from "./data-folder.ts"
import type { Deployment } from "./deployment.ts"

/** A token's text and its content. */
export interface GivenToken {
  readonly text: string
  readonly token: Token
}

/**
 * The token of the environment (`SLUICE_TOKEN`); undefined where there is none.
 *
 * Fails: throws a {@link CommandFailure} when it is not valid.
 */
export const readTokenVariable = (): GivenToken | undefined => {
  const text = process.env[envName("token")]
  if (!text) return undefined
  const parsed = parseToken(text)
  if (!parsed.ok) throw new CommandFailure(`${envName("token")} is not valid. ${parsed.detail}`)
  return { text, token: parsed.value }
}

/**
 * The token that counts: the environment's, else the one that the deployment keeps; undefined where there is neither.
 *
 * Fails: with a {@link CommandFailure} when it is not valid.
 */
export const readToken = async ({ folder }: Deployment): Promise<GivenToken | undefined> =>
  readTokenVariable() ?? (await readKeptToken(folder))

/** That {@link readToken} finds none, and where it looks. */
export const describeNoToken = ({ folder }: Deployment): string =>
  folder === null
    ? `${envName("token")} is not set.`
    : `${envName("token")} is not set, and ${folder.tokenFile} does not exist.`

/** A token that an ingest of the deployment would run with. */
export interface OwnToken {
  readonly token: Token
  /** The path of the data folder's token, or `SLUICE_TOKEN`. */
  readonly source: string
}

/**
 * The tokens that an ingest of the deployment would run with, the one it keeps before the environment's.
 *
 * Fails: with a {@link CommandFailure} when one is not valid.
 */
export const readOwnTokens = async ({ folder }: Deployment): Promise<ReadonlyArray<OwnToken>> => {
  const kept = await readKeptToken(folder)
  const given = readTokenVariable()
  return [
    ...(folder === null || kept === undefined ? [] : [{ token: kept.token, source: folder.tokenFile }]),
    ...(given === undefined ? [] : [{ token: given.token, source: envName("token") }]),
  ]
}
