import type { Catalog } from "../../ingest.ts"
import { envName } from "../../protocol.ts"
import type { OwnDeployment } from "../deployment/open-deployment.ts"
import { readStart } from "../deployment/started-with.ts"

/** What all ingests of one catalog have in common, so that apps may meet any of them. */
interface InCommon {
  readonly url: string
  readonly keyId: string
}

/**
 * Where another ingest runs on the same catalog, and the last one that started has another public URL or another token: a sentence
 * each. It is no mistake while one after the other is restarted with new ones.
 */
export const compareIngests = async (
  deployment: OwnDeployment,
  catalog: Pick<Catalog, "listApps">,
  own: InCommon,
): Promise<ReadonlyArray<string>> => {
  const other = await readStart(deployment)
  if (other === undefined || !(await deployment.hasOthers())) return []
  const apps = await catalog.listApps()
  const where = `Another ingest runs on ${deployment.describe()}`
  const why = "uploads fail at random with INVALID_SIGNATURE, by whichever of them they meet"
  const remedy = "If you are just changing it, restart all of them with it; else correct this one."
  const isActive = (keyId: string): boolean =>
    apps.some(({ keys }) => keys.some(({ id, revokedAt }) => id === keyId && revokedAt === null))
  return [
    ...(other.url === null || other.url === own.url
      ? []
      : [
          `${where} with the public URL ${other.url}, and this one has ${own.url}: ${why}. Set the same --url for all. ${remedy}`,
        ]),
    // Keys that the catalog has are good at all of them, so one after the other may be given the new one.
    ...(other.keyId === null || other.keyId === own.keyId || (isActive(other.keyId) && isActive(own.keyId))
      ? []
      : [
          `${where} with the token whose key is ${other.keyId}, and this one has that of ${own.keyId}: ${why}. Set the same ${envName("token")} for all. ${remedy}`,
        ]),
  ]
}
