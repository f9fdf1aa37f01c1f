import { encodeAppId } from "../../protocol/signing/app-id.ts"
import { createSealer, type Sealer } from "../../protocol/signing/seal.ts"
import { createSigner, type MaybePromise, type Signer } from "../../protocol/signing/signature.ts"
import type { Acl } from "../../protocol/signing/signed-url.ts"
import { parseToken, type Token } from "../../protocol/signing/token.ts"
import type { Write } from "../../server-kit/logging.ts"
import { createKeyId } from "./key-id.ts"
import { severityOf } from "../observe/outage.ts"
import type { Settings } from "../settings.ts"
import type { AppRecord, CatalogApps } from "../storage/catalog/apps.ts"

/** An app whose files the ingest takes, with the settings that apply to it. */
export interface App {
  readonly id: string
  /** Whether it is the app of the ingest's own token: the operator's. */
  readonly isOwn: boolean
  /** When the app of this id was added to the catalog, ms since the epoch; undefined where the catalog has none. */
  readonly since: number | undefined
  /** Prefix of its file keys. No other app of the ingest has the same. */
  readonly encodedId: string
  /** One for each active key, newest first: any of them verifies its URLs, all of them sign its callbacks. May be empty. */
  readonly signers: ReadonlyArray<Signer>
  /** One for each of these keys, in their order: what was sealed with a key is in URLs that were signed with it. */
  readonly sealers: ReadonlyArray<Sealer>
  /** Who may read its files where their route does not say. */
  readonly defaultAcl: Acl
  /** Bytes its files may take, stored and announced together; undefined: any. */
  readonly quota: number | undefined
  /** Origins its callbacks may go to; undefined: any. */
  readonly callbackOrigins: ReadonlySet<string> | undefined
}

/**
 * The apps an ingest knows: the one of its token, and those of its catalog. At most a second old.
 *
 * Fails: rejects as the catalog does where it could not be asked about an app that is not known: nobody is told then that there
 *        is no such app.
 */
export interface Apps {
  readonly byId: (appId: string) => MaybePromise<App | undefined>
  /** The app of an active key. In constant time for any key. */
  readonly byApiKey: (apiKey: string) => MaybePromise<App | undefined>
  /** Whether there is only one app, as far as is known so far. */
  readonly isOne: () => boolean
}

/** Whether callbacks of an app may go to a URL. */
export const isCallbackAllowed = ({ callbackOrigins }: App, url: URL): boolean =>
  callbackOrigins === undefined || callbackOrigins.has(url.origin)

/** Reads the ingest's token. Fails: throws `TypeError`, the message names the field and never holds the key. */
export const parseIngestToken = (text: string): Token => {
  const token = parseToken(text)
  if (!token.ok) throw new TypeError(`${token.code}: ${token.detail}`)
  return token.value
}

/** ms after which the catalog is asked whether its apps have changed. */
const maximumAge = 1000

/** A key, ready for use. */
interface ImportedKey {
  readonly signer: Signer
  readonly sealer: Sealer
}

/** The apps that are known at a moment. */
interface Snapshot {
  readonly byId: ReadonlyMap<string, App>
  /** By the digest of each active key, so that the key itself is never compared with anything. */
  readonly byDigest: ReadonlyMap<string, App>
}

/**
 * Keeps the apps in memory, each with its keys imported and its id encoded once.
 *
 * The key of the token is valid unless the catalog says that it is revoked; what the catalog says of the token's app
 * applies to it as to any other. While the catalog fails, its last answer applies to those that it knew.
 */
export const createApps = ({
  token,
  catalog,
  settings,
  now,
  write,
}: {
  readonly token: Token
  readonly catalog: Pick<CatalogApps, "appsRevision" | "listApps">
  readonly settings: Pick<Settings, "defaultAcl" | "quota">
  /** ms since the epoch. */
  readonly now: () => number
  readonly write: Write
}): Apps => {
  const { hash } = process.getBuiltinModule("node:crypto")
  /** By key, only for keys that are valid. */
  let imported = new Map<string, ImportedKey>()
  const tokenKeyId = createKeyId(token.apiKey)

  const keysOf = (id: string, record: AppRecord | undefined): ReadonlyArray<string> => {
    const active = (record?.keys ?? []).flatMap(({ apiKey }) => apiKey ?? [])
    const isKnown = record?.keys.some((key) => key.id === tokenKeyId) === true
    return id === token.appId && !isKnown ? [...active, token.apiKey] : active
  }

  const toApp = (id: string, record: AppRecord | undefined, own: ReadonlyArray<ImportedKey>): App => {
    const quota = record?.quota ?? settings.quota
    return {
      id,
      isOwn: id === token.appId,
      since: record?.createdAt,
      encodedId: encodeAppId(id),
      signers: own.map(({ signer }) => signer),
      sealers: own.map(({ sealer }) => sealer),
      defaultAcl: record?.defaultAcl ?? settings.defaultAcl,
      quota: quota === "unlimited" ? undefined : quota,
      callbackOrigins: record?.callbackOrigins ? new Set(record.callbackOrigins) : undefined,
    }
  }

  const toSnapshot = (records: ReadonlyArray<AppRecord>): Snapshot => {
    const byId = new Map<string, App>()
    const byDigest = new Map<string, App>()
    const prefixes = new Set<string>()
    const kept = new Map<string, ImportedKey>()
    const toImported = (apiKey: string): ImportedKey => {
      const key = imported.get(apiKey) ?? { signer: createSigner(apiKey), sealer: createSealer(apiKey) }
      kept.set(apiKey, key)
      return key
    }
    const own = records.find(({ id }) => id === token.appId)
    const others = records.filter((record) => record !== own)
    for (const [id, record] of [[token.appId, own] as const, ...others.map((other) => [other.id, other] as const)]) {
      const keys = keysOf(id, record)
      const app = toApp(id, record, keys.map(toImported))
      if (prefixes.has(app.encodedId)) {
        write("Error", "An app is not served: its file keys begin like those of the ingest's own app.", [{ app: id }])
        continue
      }
      prefixes.add(app.encodedId)
      byId.set(id, app)
      for (const key of keys) byDigest.set(hash("sha256", key), app)
    }
    // A revoked key is not kept in memory either.
    imported = kept
    return { byId, byDigest }
  }

  let snapshot = toSnapshot([])
  let revision: number | undefined
  let checkedAt = -Infinity
  let checking: Promise<void> | undefined
  /** Why the last check has failed. */
  let failure: { readonly cause: unknown } | undefined

  const check = async (): Promise<void> => {
    try {
      const newest = await catalog.appsRevision()
      if (newest !== revision) {
        snapshot = toSnapshot(await catalog.listApps())
        revision = newest
      }
      failure = undefined
    } catch (cause) {
      failure = { cause }
      write(severityOf(cause), "The catalog cannot say which apps there are; those known so far are served.", [cause])
    }
    checkedAt = now()
    checking = undefined
  }

  const findNow = (look: (snapshot: Snapshot) => App | undefined): MaybePromise<App | undefined> => {
    const found = look(snapshot)
    return found === undefined && failure !== undefined ? Promise.reject(failure.cause) : found
  }

  const find = (look: (snapshot: Snapshot) => App | undefined): MaybePromise<App | undefined> => {
    const age = now() - checkedAt
    return age >= 0 && age < maximumAge ? findNow(look) : (checking ??= check()).then(() => findNow(look))
  }

  return {
    byId: (appId) => find(({ byId }) => byId.get(appId)),
    byApiKey: (apiKey) => {
      const digest = hash("sha256", apiKey)
      return find(({ byDigest }) => byDigest.get(digest))
    },
    isOne: () => snapshot.byId.size === 1,
  }
}
