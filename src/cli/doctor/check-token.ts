import { envName, type Token } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import { createKeyId } from "../../ingest.ts"
import { readKeptToken } from "../deployment/data-folder.ts"
import type { Deployment } from "../deployment/deployment.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { failed, type Finding, ok, warning } from "./finding.ts"
import { describeNoToken, type GivenToken, readTokenVariable } from "../deployment/tokens.ts"

const check = "Token"

/** The app of a token among those added by `sluice apps create`. Another check reports a catalog that cannot be read. */
const findFurtherApp = (deployment: Deployment, { appId }: Token) =>
  withDeployment(deployment, "reads", ({ catalog }) => catalog.listApps()).then(
    (apps) => apps.find(({ id }) => id === appId),
    () => undefined,
  )

/** Judges a token other than the data folder's. */
const judgeOther = async (deployment: Deployment, token: Token, kept: Token): Promise<Finding> => {
  const app = await findFurtherApp(deployment, token)
  const variable = envName("token")
  if (app === undefined) {
    return warning(
      check,
      `${variable} is of the app ${token.appId}, but the data folder's own token is of ${kept.appId}, and no such app was added to it.`,
      `Make it an app of this ingest with \`sluice apps create ${token.appId}\` and give it the new token, use the data folder of that app (--data), or unset ${variable}.`,
    )
  }
  const id = createKeyId(token.apiKey)
  // The check of keys reports a revoked key.
  return app.keys.some((key) => key.id === id)
    ? ok(check, `of the app ${token.appId}, one of those of this ingest (\`sluice apps\`), from ${variable}`)
    : failed(
        check,
        `${variable} is of the app ${token.appId}, but its key ${id} is not a key of that app: every request with it is refused.`,
        `Make another with \`sluice keys create ${token.appId}\`, and set ${variable} of the app to it.`,
      )
}

/** The finding about the token, the token where there is one, and the app of the data folder's token. */
interface FoundToken {
  readonly token?: Token
  readonly ownAppId?: string | undefined
  readonly finding: Finding
}

const find = async (
  deployment: Deployment,
  given: GivenToken | undefined,
  kept: GivenToken | undefined,
): Promise<FoundToken> => {
  const found = given ?? kept
  if (found === undefined) {
    return {
      finding: failed(
        check,
        describeNoToken(deployment),
        "Start `sluice dev` or `sluice ingest` once, or make one with `sluice token`.",
      ),
    }
  }
  const { token } = found
  if (given !== undefined && kept !== undefined && given.token.appId !== kept.token.appId) {
    return { token, ownAppId: kept.token.appId, finding: await judgeOther(deployment, token, kept.token) }
  }
  const { folder } = deployment
  const source = given === undefined && folder !== null ? folder.tokenFile : envName("token")
  return { token, ownAppId: kept?.token.appId, finding: ok(check, `of the app ${token.appId}, from ${source}`) }
}

/** Looks for the token as `sluice ingest` does; reports what is wrong with it, and returns the token where there is one. */
export const checkToken = async (deployment: Deployment): Promise<FoundToken> => {
  const { folder } = deployment
  const tokenFile = folder?.tokenFile
  const whole = tokenFile === undefined ? "a token of these ingests" : `the whole text of ${tokenFile}`
  let advice = `Set ${envName("token")} to ${whole}, or unset it and make a token with \`sluice keys create <app>\`.`
  try {
    const given = readTokenVariable()
    advice = `Put the ingest's token back into ${tokenFile}, from a backup or from ${envName("token")} of its app. If it is lost, take the file away and make one with \`sluice keys create <app>\` for an app that \`sluice apps\` lists.`
    return await find(deployment, given, await readKeptToken(folder))
  } catch (error) {
    if (!(error instanceof CommandFailure)) throw error
    return { finding: failed(check, error.message, advice) }
  }
}
