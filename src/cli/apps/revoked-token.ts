import { createKeyId } from "../../ingest.ts"
import type { DeploymentCatalog } from "../deployment/open-deployment.ts"
import type { OwnToken } from "../deployment/tokens.ts"

/** A token whose key is revoked. */
export interface RevokedToken {
  readonly message: string
  /** What to do about it. */
  readonly advice: string
}

/** What is wrong with a token whose key is revoked; null when the token is valid. */
export const findRevoked = async (
  { catalog, folder }: DeploymentCatalog,
  { token, source }: OwnToken,
): Promise<RevokedToken | null> => {
  const { appId, apiKey } = token
  const id = createKeyId(apiKey)
  const keys = (await catalog.listApps()).find((app) => app.id === appId)?.keys ?? []
  if (!keys.some((key) => key.id === id && key.revokedAt !== null)) return null
  const active = keys.filter(({ revokedAt }) => revokedAt === null).map((key) => key.id)
  const remedy =
    active.length === 0
      ? `Make a key with \`sluice keys create ${appId}\`.`
      : source === folder?.tokenFile
        ? `The ingest puts ${active[0]} into it when it starts.`
        : `Set it to a token of ${active.join(" or ")}, or make another with \`sluice keys create ${appId}\`.`
  return {
    message: `${source} holds ${id} of the app ${appId}, a revoked key: every request with it is refused.`,
    advice: remedy,
  }
}
