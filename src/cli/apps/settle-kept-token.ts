import { type Catalog, createKeyId } from "../../ingest.ts"
import { type DataFolder, readKeptToken, writeToken } from "../data-folder.ts"

/**
 * Sees to it that the token the data folder keeps is of a key that counts: where its key is revoked and its app has
 * another, the newest takes its place.
 *
 * Gives the id of the key it holds now; undefined when nothing had to be changed, or there is nothing to change it to.
 * Fails: with a `CommandFailure`.
 */
export const settleKeptToken = async (catalog: Catalog, folder: DataFolder): Promise<string | undefined> => {
  let settled: string | undefined
  // Again after each change: a command that runs at the same time may have revoked the key that was just written.
  for (;;) {
    const kept = await readKeptToken(folder)
    if (kept === undefined) return settled
    const { token } = kept
    const keys = (await catalog.listApps()).find(({ id }) => id === token.appId)?.keys ?? []
    const isRevoked = keys.some(({ id, revokedAt }) => id === createKeyId(token.apiKey) && revokedAt !== null)
    const next = keys.find(({ revokedAt }) => revokedAt === null)
    if (!isRevoked || !next?.apiKey) return settled
    await writeToken(folder, { ...token, apiKey: next.apiKey })
    settled = next.id
  }
}
