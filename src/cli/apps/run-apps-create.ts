import type { AppSettings } from "../../ingest.ts"
import { encodeAppId, envName } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import { createAppId } from "../create-token.ts"
import type { Deployment } from "../deployment/deployment.ts"
import type { DeploymentCatalog } from "../deployment/open-deployment.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { type IssuedToken, type IssueOptions, handOverToken, issueToken } from "./issue-token.ts"
import { listKnownApps, unset } from "./known-app.ts"
import { withTokenFile } from "./token-file.ts"

const inTheWay = (id: string, other: string): CommandFailure =>
  new CommandFailure(
    id === other
      ? `There is an app ${id} already. For another key of it: \`sluice keys create ${id}\`.`
      : `The id ${id} cannot be used: its file keys would begin like those of the app ${other}. Choose another id.`,
  )

/** Creates an app with its first key, or neither. Fails: with a {@link CommandFailure} when the id cannot be used. */
export const createAppWithKey = async (
  open: DeploymentCatalog,
  id: string,
  settings: Partial<AppSettings>,
  issued: IssuedToken,
): Promise<void> => {
  const { catalog } = open
  const findInTheWay = async (): Promise<string | undefined> => {
    const prefix = encodeAppId(id)
    return (await listKnownApps(open)).find((app) => app.id === id || encodeAppId(app.id) === prefix)?.id
  }
  // The ingest's own app need not be in the catalog, which covers all others below.
  const known = await findInTheWay()
  if (known !== undefined) throw inTheWay(id, known)
  const now = Date.now()
  // On a full disk an app could be kept without its key, and not be deleted any more.
  await catalog.probe()
  if ((await catalog.createApp({ ...unset, ...settings, id, createdAt: now })) === "taken") {
    throw inTheWay(id, (await findInTheWay()) ?? id)
  }
  try {
    const answer = await catalog.addKey({ appId: id, apiKey: issued.token.apiKey, now })
    if (answer !== "added") throw new CommandFailure(`The app ${id} was changed meanwhile. Try again.`)
  } catch (error) {
    await catalog.deleteApp(id)
    throw error
  }
}

/** `sluice apps create`. */
export const runAppsCreate = async (
  deployment: Deployment,
  options: IssueOptions,
  id = createAppId(),
  settings: Partial<AppSettings>,
): Promise<void> => {
  await withTokenFile(options, async (file) => {
    const issued = await withDeployment(deployment, "changes", async (open) => {
      const token = await issueToken(open, id, options)
      await createAppWithKey(open, id, settings, token)
      return token
    })
    await handOverToken(
      issued,
      { json: options.json, file },
      `Set it as ${envName("token")} for the servers of the app ${id}. It holds ${issued.keyId}, whose secret is ` +
        `${file === undefined ? "shown only here" : "kept only there"}. A running ingest takes uploads of the app within about a second.`,
    )
  })
}
