import { envName, type Token } from "../../protocol.ts"
import { type DataFolder, readKeptToken } from "../data-folder.ts"
import { readTokenVariable } from "../serve/given-token.ts"

/** A token that an ingest of the data folder would run with. */
export interface OwnToken {
  readonly token: Token
  /** The path of the data folder's token, or `SLUICE_TOKEN`. */
  readonly source: string
}

/**
 * The tokens that an ingest of the data folder would run with, the folder's before the environment's.
 *
 * Fails: with a `CommandFailure` when one is not valid.
 */
export const readOwnTokens = async (folder: DataFolder): Promise<ReadonlyArray<OwnToken>> => {
  const kept = await readKeptToken(folder)
  const given = readTokenVariable()
  return [
    ...(kept === undefined ? [] : [{ token: kept.token, source: folder.tokenFile }]),
    ...(given === undefined ? [] : [{ token: given.token, source: envName("token") }]),
  ]
}
