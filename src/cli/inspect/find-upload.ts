import type { UploadRecord } from "../../ingest.ts"
import { CommandFailure } from "../command-failure.ts"
import type { DeploymentCatalog } from "../deployment/open-deployment.ts"
import { readToken } from "../deployment/tokens.ts"
import { explainEventId } from "./event-id.ts"

/** A file by its key, or by the custom id that its app gave it (only of the token's app). */
const findByName = async (open: DeploymentCatalog, name: string): Promise<UploadRecord | null> => {
  const { catalog } = open
  const byKey = await catalog.get(name)
  if (byKey !== null) return byKey
  const known = await readToken(open)
  if (known === undefined) return null
  const byCustomId = await catalog.findByCustomId(known.token.appId, name, "all")
  return byCustomId === null ? null : catalog.get(byCustomId.key)
}

/**
 * A file by key or custom id, or by the id of its event (`evt_…`).
 *
 * Fails: with a {@link CommandFailure} when there is none.
 */
export const findUpload = async (open: DeploymentCatalog, name: string): Promise<UploadRecord> => {
  const found = (await open.catalog.findDelivery(name)) ?? (await findByName(open, name))
  if (found !== null) return found
  if (name.startsWith("evt_")) {
    throw new CommandFailure(
      `There is no event ${JSON.stringify(name)} in ${open.describe()}. ${explainEventId(name, "`sluice deliveries` lists those that apps are owed.")}`,
    )
  }
  throw new CommandFailure(`There is no file or event ${JSON.stringify(name)} in ${open.describe()}.`)
}
