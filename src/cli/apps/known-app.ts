import { type AppKey, type AppRecord, type AppSettings, type Catalog, createKeyId } from "../../ingest.ts"
import { CommandFailure } from "../command-failure.ts"
import type { Deployment } from "../deployment/deployment.ts"
import type { DeploymentCatalog } from "../deployment/open-deployment.ts"
import { type OwnToken, readOwnTokens } from "../deployment/tokens.ts"

/** A key of an app, and which tokens hold it. */
export interface KnownKey extends Omit<AppKey, "createdAt"> {
  /** ms since the epoch; null while only a token knows the key. */
  readonly createdAt: number | null
  /** The tokens that hold it: a path, or `SLUICE_TOKEN`. */
  readonly heldBy: ReadonlyArray<string>
}

/** An app as the catalog and the ingest's tokens together describe it. */
export interface KnownApp extends AppSettings {
  readonly id: string
  /** ms since the epoch; null while only a token knows the app. */
  readonly createdAt: number | null
  /** Active and revoked ones, the newest first. */
  readonly keys: ReadonlyArray<KnownKey>
  /** Where the ingest's token that names it is; null for any other app. */
  readonly tokenSource: string | null
}

/** An app without settings of its own: the ingest's apply. */
export const unset: AppSettings = { name: null, defaultAcl: null, quota: null, callbackOrigins: null }

const toKnownApp = (id: string, record: AppRecord | undefined, tokens: ReadonlyArray<OwnToken>): KnownApp => {
  const own = tokens
    .filter(({ token }) => token.appId === id)
    .map(({ token, source }) => ({ id: createKeyId(token.apiKey), apiKey: token.apiKey, source }))
  const heldBy = (keyId: string) => own.filter((key) => key.id === keyId).map(({ source }) => source)
  const kept = record?.keys ?? []
  const others = own.filter(
    (key, index) => !kept.some((one) => one.id === key.id) && own.findIndex((first) => first.id === key.id) === index,
  )
  return {
    ...unset,
    createdAt: null,
    ...record,
    id,
    keys: [
      ...kept.map((key) => ({ ...key, heldBy: heldBy(key.id) })),
      ...others.map(({ id, apiKey }) => ({ id, apiKey, createdAt: null, revokedAt: null, heldBy: heldBy(id) })),
    ],
    tokenSource: own[0]?.source ?? null,
  }
}

/** All apps of an ingest, its own first and then the oldest first. */
export const listKnownApps = async (deployment: DeploymentCatalog): Promise<ReadonlyArray<KnownApp>> => {
  const tokens = await readOwnTokens(deployment)
  const records = await deployment.catalog.listApps()
  const ids = new Set([...tokens.map(({ token }) => token.appId), ...records.map(({ id }) => id)])
  return [...ids].map((appId) =>
    toKnownApp(
      appId,
      records.find(({ id }) => id === appId),
      tokens,
    ),
  )
}

/** The failure where no app has this id. */
export const unknownApp = (id: string, { describe }: Deployment): CommandFailure =>
  new CommandFailure(`There is no app ${JSON.stringify(id)} in ${describe()}. \`sluice apps\` lists the existing ones.`)

/** One app. Fails: with a {@link CommandFailure} when none has this id. */
export const requireApp = async (deployment: DeploymentCatalog, id: string): Promise<KnownApp> => {
  const found = (await listKnownApps(deployment)).find((app) => app.id === id)
  if (found === undefined) throw unknownApp(id, deployment)
  return found
}

/** Keys that are valid. */
export const activeKeysOf = ({ keys }: Pick<KnownApp, "keys">): ReadonlyArray<KnownKey> =>
  keys.filter(({ revokedAt }) => revokedAt === null)

/**
 * Adds the ingest's own app to the catalog, its present key first, so that settings can be made for it and its key
 * stays valid. Has no effect on an app that is there with its key; a key for which there is no room is not added.
 *
 * Two processes at once do no harm: the second one finds app and key taken.
 *
 * Fails: with a {@link CommandFailure} when the catalog cannot add it.
 */
export const adoptApp = async (catalog: Catalog, app: KnownApp): Promise<void> => {
  const unknown = app.keys.filter(({ createdAt }) => createdAt === null)
  if (unknown.length > 1) {
    const [one, two] = unknown.map(({ heldBy }) => heldBy[0])
    throw new CommandFailure(`${one} and ${two} hold different keys of the app ${app.id}. Unset or remove one of them.`)
  }
  if (app.createdAt === null) {
    const answer = await catalog.createApp({ ...unset, id: app.id, createdAt: Date.now() })
    if (answer === "taken" && !(await catalog.listApps()).some(({ id }) => id === app.id)) {
      throw new CommandFailure(
        `The ingest's own app ${app.id} cannot be changed: another app's file keys begin the same way. ` +
          "`sluice apps` lists both; delete the other one.",
      )
    }
  }
  for (const { apiKey } of unknown) await catalog.addKey({ appId: app.id, apiKey: apiKey!, now: Date.now() })
}
