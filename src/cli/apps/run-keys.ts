import { styleText } from "node:util"
import { mostActiveKeys } from "../../ingest.ts"
import { envName } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import { withCatalog } from "../open-catalog.ts"
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
export const runKeysList = async (data: string, appId: string, { json }: { readonly json?: true }): Promise<void> => {
  const { id, keys } = await withCatalog(data, "reads", (catalog, folder) => requireApp(catalog, folder, appId))
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
export const runKeysCreate = (options: IssueOptions, appId: string): Promise<void> =>
  withTokenFile(options, (file) => createKey(options, appId, file))

const createKey = async (options: IssueOptions, appId: string, file: TokenFile | undefined): Promise<void> => {
  const { issued, before, settled, tokenFile } = await withCatalog(options.data, "changes", async (catalog, folder) => {
    const app = await requireApp(catalog, folder, appId)
    const token = await issueToken(folder, appId, options)
    await adoptApp(catalog, app)
    const answer = await catalog.addKey({ appId, apiKey: token.token.apiKey, now: Date.now() })
    if (answer === "unknownApp") throw unknownApp(appId, folder)
    if (answer !== "added") {
      const active = activeKeysOf(await requireApp(catalog, folder, appId))
      throw new CommandFailure(
        `The app ${appId} has ${mostActiveKeys} active keys, as many as it may: ${list(active)}. ` +
          `Revoke the one that its servers no longer use: \`sluice keys revoke ${appId} <key>\`.`,
      )
    }
    const { tokenFile } = folder
    return { issued: token, before: activeKeysOf(app), settled: await settleKeptToken(catalog, folder), tokenFile }
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
      (settled === undefined ? "" : `\n${tokenFile} held a revoked key, and holds ${settled} now.`),
  )
}
