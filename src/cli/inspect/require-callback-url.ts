import type { UploadWithDelivery } from "../../ingest.ts"
import { limits } from "../../protocol.ts"
import { findUrlMistake } from "../../schema/http-url.ts"
import { readOwnTokens } from "../deployment/tokens.ts"
import { findForbidden } from "../callback-rules.ts"
import { CommandFailure } from "../command-failure.ts"
import type { Deployment } from "../deployment/deployment.ts"
import type { DeploymentCatalog } from "../deployment/open-deployment.ts"
import { readStart } from "../deployment/started-with.ts"

/** Why no registration could have a callback URL, whichever app sends it; undefined where one could. Never contains the URL. */
export const findCallbackUrlMistake = (url: string): string | undefined =>
  findUrlMistake(url) ??
  (url.length > limits.callbackUrl ? `Expected at most ${limits.callbackUrl} characters` : undefined)

/** Whether an app's callbacks may only go to the public Internet, as far as is known here: the ingest checks it as well. */
const isPublicOnly = async (deployment: Deployment, appId: string): Promise<boolean> => {
  if ((await readStart(deployment))?.callbackNetworks !== "public") return false
  const own = await readOwnTokens(deployment)
  return own.length > 0 && own.every(({ token }) => token.appId !== appId)
}

/**
 * The app whose events may go to another callback URL; undefined where there are no events. Events of a development
 * stream are ignored, because their app fetches them.
 *
 * Fails: with a {@link CommandFailure} where they belong to several apps, and where the ingest would not send any
 *        there.
 */
export const requireCallbackUrl = async (
  open: DeploymentCatalog,
  pages: AsyncIterable<ReadonlyArray<UploadWithDelivery>>,
  callbackUrl: string,
): Promise<string | undefined> => {
  const appIds = new Set<string>()
  for await (const uploads of pages) {
    for (const { file, registration } of uploads) if (registration?.isDev === false) appIds.add(file.appId)
  }
  const [appId, ...others] = appIds
  if (appId === undefined) return undefined
  if (others.length > 0) {
    throw new CommandFailure(
      `The events are of the apps ${[...appIds].join(", ")}, and each has a callback URL of its own: ` +
        "name the events of one app. Nothing was changed.",
    )
  }
  const app = (await open.catalog.listApps()).find(({ id }) => id === appId)
  const rules = {
    appId,
    callbackOrigins: app?.callbackOrigins ?? null,
    isPublicOnly: await isPublicOnly(open, appId),
  }
  const forbidden = findForbidden(rules, callbackUrl)
  if (forbidden !== undefined) {
    throw new CommandFailure(
      `The ingest would send nothing to ${callbackUrl}: ${forbidden.reason}. ${forbidden.remedy}. Nothing was changed.`,
    )
  }
  return appId
}
