import { styleText } from "node:util"
import { mostActiveKeys } from "../../ingest.ts"
import { envName } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import type { Deployment } from "../deployment/deployment.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { formatMoment } from "../terminal/moment.ts"
import { printTable } from "../terminal/table.ts"
import { toKeyJson } from "./app-json.ts"
import { type IssueOptions, handOverToken, issueToken } from "./issue-token.ts"
import { activeKeysOf, adoptApp, type KnownKey, requireApp, unknownApp } from "./known-app.ts"
import { settleKeptToken } from "./settle-kept-token.ts"
import { type TokenFile, withTokenFile } from "./token-file.ts"

const showStatus = ({ revokedAt }: KnownKey): string =>
  revokedAt === null ? styleText("green", "active") : `${styleText("red", "revoked")} ${formatMoment(revokedAt)}`

/** A key on one line. */
export const showKey = (key: KnownKey): string => {
  const held = key.heldBy.length === 0 ? "" : `, in ${key.heldBy.join(" and ")}`
  return `${key.id}  ${showStatus(key)}${held}`
}

/** `sluice keys list`. */
export const runKeysList = async (
  deployment: Deployment,
  appId: string,
  { json }: { readonly json?: true },
): Promise<void> => {
  const { id, keys } = await withDeployment(deployment, "reads", (open) => requireApp(open, appId))
  if (json) {
    console.log(JSON.stringify({ appId: id, keys: keys.map(toKeyJson) }))
    return
  }
  if (keys.length === 0) {
    console.log("The app has no keys. `sluice keys create` makes one.")
    return
  }
  printTable(
    [{ title: "KEY" }, { title: "MADE" }, { title: "STATUS" }, { title: "IN" }],
    keys.map((key) => [
      key.id,
      key.createdAt === null ? "with the token" : formatMoment(key.createdAt),
      showStatus(key),
      key.heldBy.join(", "),
    ]),
  )
}

const list = (keys: ReadonlyArray<{ readonly id: string }>): string => keys.map(({ id }) => id).join(" and ")

/** `sluice keys create`. */
export const runKeysCreate = (deployment: Deployment, options: IssueOptions, appId: string): Promise<void> =>
  withTokenFile(options, (file) => createKey(deployment, options, appId, file))

const createKey = async (
  deployment: Deployment,
  options: IssueOptions,
  appId: string,
  file: TokenFile | undefined,
): Promise<void> => {
  const { issued, before, settled } = await withDeployment(deployment, "changes", async (open) => {
    const { catalog } = open
    const app = await requireApp(open, appId)
    const token = await issueToken(open, appId, options)
    await adoptApp(catalog, app)
    const answer = await catalog.addKey({ appId, apiKey: token.token.apiKey, now: Date.now() })
    if (answer === "unknownApp") throw unknownApp(appId, open)
    if (answer !== "added") {
      const active = activeKeysOf(await requireApp(open, appId))
      throw new CommandFailure(
        `The app ${appId} has ${mostActiveKeys} active keys, as many as it may: ${list(active)}. ` +
          `Revoke the one that its servers no longer use: \`sluice keys revoke ${appId} <key>\`.`,
      )
    }
    return { issued: token, before: activeKeysOf(app), settled: await settleKeptToken(open) }
  })
  const next =
    before.length === 0
      ? "It is the app's only key."
      : `${list(before)} still works. Once all servers use the new token: \`sluice keys revoke ${appId} ${before[0]!.id}\`.`
  await handOverToken(
    issued,
    { json: options.json, file },
    `Set it as ${envName("token")} for the servers of the app ${appId}. It holds ${issued.keyId}, whose secret is ` +
      `${file === undefined ? "shown only here" : "kept only there"}. A running ingest knows it within about a second.\n${next}` +
      (settled === undefined ? "" : `\n${deployment.folder?.tokenFile} held a revoked key, and holds ${settled} now.`),
  )
}
