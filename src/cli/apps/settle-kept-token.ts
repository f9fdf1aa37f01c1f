import { createKeyId } from "../../ingest.ts"
import { readKeptToken, writeToken } from "../deployment/data-folder.ts"
import type { DeploymentCatalog } from "../deployment/open-deployment.ts"

/**
 * Ensures that the token that a deployment keeps has a valid key: where its key is revoked and its app has another, the
 * newest one replaces it.
 *
 * Returns the id of the key that it holds now; undefined when no change was necessary or possible.
 * Fails: with a `CommandFailure`.
 */
export const settleKeptToken = async ({ catalog, folder }: DeploymentCatalog): Promise<string | undefined> => {
  if (folder === null) return undefined
  let settled: string | undefined
  // Repeated after each change: a command that runs at the same time may have revoked the key that was just written.
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
