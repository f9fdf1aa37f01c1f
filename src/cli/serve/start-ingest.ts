import { envName, type LogFormat } from "../../protocol.ts"
import { type DataFolder, keepToken, type KeptToken, openDataFolder } from "../data-folder.ts"
import { type GivenToken, readTokenVariable } from "./given-token.ts"
import { type IngestServer, listenForIngest } from "./serve-ingest.ts"
import type { SettingValues } from "../settings/settings.ts"

/** An ingest that answers. */
export interface StartedIngest extends GivenToken {
  /** Public base URL. */
  readonly url: string
  readonly host: string
  readonly port: number
  readonly folder: DataFolder
  /** Where the data folder keeps the token; null when the environment gave it. */
  readonly keptToken: KeptToken["state"] | null
  readonly close: () => Promise<void>
}

/**
 * Runs an ingest by its settings, with the token of the environment or the one its data folder keeps.
 *
 * Fails: with a `CommandFailure`; then nothing is left running.
 */
export const startIngest = async (
  { host, port, data, url: givenUrl, ...options }: SettingValues,
  logFormat: LogFormat,
  listen: (host: string, port: number) => Promise<IngestServer> = listenForIngest,
): Promise<StartedIngest> => {
  const given = readTokenVariable()
  const folder = await openDataFolder(data)
  let server: IngestServer | undefined
  try {
    server = await listen(host, port)
    const url = givenUrl ?? `http://localhost:${server.port}`
    const kept = given === undefined ? await keepToken(folder, url) : undefined
    const { text, token } = (given ?? kept)!
    const metricsToken = process.env[envName("metricsToken")]
    const metrics = metricsToken ? { token: metricsToken } : options.metrics
    server.open({ ...options, metrics, folder, token: text, url, logFormat })
    const { close } = server
    return { url, host, port: server.port, folder, text, token, keptToken: kept?.state ?? null, close }
  } catch (error) {
    await server?.close()
    folder.release()
    throw error
  }
}
