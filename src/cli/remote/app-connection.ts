import { type Command, Option } from "commander"
import { SluiceApi } from "../../api.ts"
import { encodeAppId, envName, resolveIngestUrl } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import { addDeployment, resolveDeployment } from "../deployment/deployment.ts"
import { describeNoToken, readToken } from "../deployment/tokens.ts"
import { toArgParser } from "../settings/setting-options.ts"
import { parseBaseUrl } from "../settings/settings.ts"

/** A running ingest, as the app of the token sees it. */
export interface AppConnection {
  readonly api: SluiceApi
  /** What the keys of the app's files begin with. */
  readonly encodedAppId: string
  readonly ingestUrl: string
}

/** Gives a command that talks to a running ingest the options that say which one, and as which app. */
export const addConnectionOptions = (command: Command): Command =>
  addDeployment(command, "token").addOption(
    new Option("--ingest-url <url>", "where the ingest is (default: as the token says)")
      .env(envName("ingestUrl"))
      .argParser(toArgParser(parseBaseUrl)),
  )

/**
 * The ingest that a command talks to: the token is that of `SLUICE_TOKEN`, else the one that the data folder keeps. No
 * request is made.
 *
 * Fails: with a {@link CommandFailure} where there is no token, it is not valid, or nobody says where the ingest is.
 */
export const readConnection = async (command: Command): Promise<AppConnection> => {
  const deployment = await resolveDeployment(command, "token")
  const found = await readToken(deployment)
  if (found === undefined) {
    throw new CommandFailure(
      `There is no token: ${describeNoToken(deployment)} Set the variable to the token of an app (\`sluice apps create\`), or say with --data where the ingest keeps its own.`,
    )
  }
  const resolved = resolveIngestUrl(found.token, command.getOptionValue("ingestUrl") as string | undefined)
  if (!resolved.ok) throw new CommandFailure(`${resolved.detail} Or say with --ingest-url where it is.`)
  const api = new SluiceApi({
    token: found.text,
    ingestUrl: resolved.value,
    defaultKeyType: "fileKey",
    // What fails is said by the command.
    logLevel: "None",
  })
  return { api, encodedAppId: encodeAppId(found.token.appId), ingestUrl: resolved.value }
}
