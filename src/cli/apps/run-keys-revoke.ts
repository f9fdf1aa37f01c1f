import { createKeyId } from "../../ingest.ts"
import { envName } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import type { Deployment } from "../deployment/deployment.ts"
import type { DeploymentCatalog } from "../deployment/open-deployment.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { readTokenVariable } from "../deployment/tokens.ts"
import { formatMoment } from "../terminal/moment.ts"
import { activeKeysOf, adoptApp, type KnownApp, type KnownKey, requireApp } from "./known-app.ts"
import { settleKeptToken } from "./settle-kept-token.ts"

const requireKey = (app: KnownApp, id: string): KnownKey => {
  const found = app.keys.find((key) => key.id === id)
  if (found !== undefined) return found
  throw new CommandFailure(`The app ${app.id} has no key ${id}. \`sluice keys ${app.id}\` lists those it has.`)
}

const refuseLast = (app: KnownApp, id: string): CommandFailure =>
  new CommandFailure(
    `${id} is the only active key of the app ${app.id}. Without it the app cannot upload, its private files cannot be ` +
      `read, and its callbacks are not sent. Make another first (\`sluice keys create ${app.id}\`), or say --last.`,
  )

/**
 * Revokes a key of an app; revoking it again changes nothing.
 *
 * Fails: with a {@link CommandFailure}, also when it is the last key and is to be kept.
 */
export const revokeKeyOf = async (
  open: DeploymentCatalog,
  { appId, id, last }: { readonly appId: string; readonly id: string; readonly last: boolean },
): Promise<{ readonly app: KnownApp; readonly isNew: boolean }> => {
  const { catalog } = open
  const before = await requireApp(open, appId)
  if (requireKey(before, id).revokedAt !== null) return { app: before, isNew: false }
  if (!last && activeKeysOf(before).length === 1) throw refuseLast(before, id)
  await adoptApp(catalog, before)
  const isNew = await catalog.revokeKey({ appId, id, now: Date.now(), keepsLast: !last })
  const app = await requireApp(open, appId)
  // Another command may have been faster: with this key, or with the other one.
  if (isNew || requireKey(app, id).revokedAt !== null) return { app, isNew }
  const others = activeKeysOf(app).filter((key) => key.id !== id)
  if (others.length === 0) throw refuseLast(app, id)
  throw new CommandFailure(
    `The app ${appId} has ${others.map((key) => key.id).join(" and ")} besides ${id}, one more than it may. Revoke one of ` +
      "those first.",
  )
}

/** `sluice keys revoke`. */
export const runKeysRevoke = async (
  deployment: Deployment,
  appId: string,
  id: string,
  { last = false, json }: { readonly last?: boolean; readonly json?: true },
): Promise<void> => {
  const { app, isNew, settled } = await withDeployment(deployment, "changes", async (open) => ({
    ...(await revokeKeyOf(open, { appId, id, last })),
    settled: await settleKeptToken(open),
  }))
  const { folder } = deployment
  const activeKeys = activeKeysOf(app).map((key) => key.id)
  if (json) {
    const tokenFile = settled === undefined ? null : folder?.tokenFile
    console.log(JSON.stringify({ appId, revoked: id, activeKeys, tokenFile }))
    return
  }
  const { revokedAt } = requireKey(app, id)
  console.log(
    isNew
      ? `${id} is revoked. A running ingest refuses it within about a second.`
      : `${id} was revoked already, ${formatMoment(revokedAt!)}.`,
  )
  console.log(
    activeKeys.length === 0
      ? `The app ${appId} has no active key now; \`sluice keys create ${appId}\` makes one.`
      : `The app ${appId} still has ${activeKeys.join(" and ")}.`,
  )
  if (settled !== undefined) console.log(`${folder?.tokenFile} holds ${settled} now.`)
  const given = readTokenVariable()
  if (given !== undefined && createKeyId(given.token.apiKey) === id) {
    console.error(
      `${envName("token")} holds the revoked key: every request with it is refused, so set it to the new token.`,
    )
  }
}
