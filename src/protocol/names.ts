/** All identifiers of the protocol's vocabulary, derived from one word. */
export interface WireNames {
  readonly word: string
  /** Where an adapter is mounted by convention. */
  readonly adapterPath: string
  /** Prefix of the environment variables; see {@link envName}. */
  readonly envPrefix: string
  /** Prefix of a problem document's `type`. */
  readonly problemType: string
  /** Query parameters of a signed upload URL, in the order they are written; `expires` is first, `signature` last. */
  readonly query: {
    readonly expires: string
    readonly identifier: string
    readonly fileName: string
    readonly fileSize: string
    readonly fileType: string
    readonly slug: string
    readonly registration: string
    readonly issued: string
    readonly seal: string
    readonly labels: string
    readonly customId: string
    readonly contentDisposition: string
    readonly acl: string
    readonly cache: string
    readonly transport: string
    readonly signature: string
  }
  /** Query parameters that only URLs for reading have, beside those above. */
  readonly readQuery: { readonly held: string }
  /** Query parameters the client sends to the route handler. */
  readonly action: { readonly type: string; readonly slug: string; readonly upload: string; readonly renew: string }
  readonly header: {
    readonly apiKey: string
    readonly signature: string
    readonly hook: string
    /** In a callback: what its sender reads in the answer. */
    readonly accept: string
    readonly rangeStart: string
    /** The most bytes that the ingest's operator wants in one body. */
    readonly largestAppend: string
    readonly version: string
    readonly warning: string
    readonly webhookId: string
    readonly webhookTimestamp: string
    readonly webhookSignature: string
  }
  /** First path segments below the ingest's public URL. */
  readonly path: {
    readonly register: string
    readonly registrations: string
    readonly callbackResult: string
    readonly file: string
    readonly appFile: string
    readonly prefix: string
    /** A file that is held, for the scanner. */
    readonly heldFile: string
    readonly verdict: string
    readonly api: string
    readonly oldApi: string
    readonly health: string
    readonly ready: string
    readonly metrics: string
  }
}

const ourWord = "sluice"

// The names that the client uses are exported one by one, so that a browser does not load the others.

/** Where an adapter is mounted by convention: `/api/sluice`. */
export const adapterPath = `/api/${ourWord}`
/** The page in the installed package that explains the codes; the heading is the code in lower case. */
export const helpPage = `node_modules/${ourWord}/docs/troubleshooting.md#`
export const rangeStartHeader = `x-${ourWord}-range-start`
export const largestAppendHeader = `x-${ourWord}-largest-append`
export const expiryParameter = "expires"
export const transportParameter = `x-${ourWord}-transport`
export const actionNames: WireNames["action"] = {
  type: "actionType",
  slug: "slug",
  upload: "upload",
  renew: "renew",
}

/**
 * Derives the protocol's vocabulary from one word.
 *
 * Source: docs/protocol.md §1. A second vocabulary (§12) is a second call, never a second table.
 */
export const wireNames = (word: string): WireNames => ({
  word,
  adapterPath: adapterPath.replace(ourWord, word),
  envPrefix: `${word.toUpperCase()}_`,
  problemType: `urn:${word}:error:`,
  query: {
    expires: expiryParameter,
    identifier: `x-${word}-identifier`,
    fileName: `x-${word}-file-name`,
    fileSize: `x-${word}-file-size`,
    fileType: `x-${word}-file-type`,
    slug: `x-${word}-slug`,
    registration: `x-${word}-registration`,
    issued: `x-${word}-issued`,
    seal: `x-${word}-seal`,
    labels: `x-${word}-labels`,
    customId: `x-${word}-custom-id`,
    contentDisposition: `x-${word}-content-disposition`,
    acl: `x-${word}-acl`,
    cache: `x-${word}-cache`,
    transport: transportParameter.replace(ourWord, word),
    signature: "signature",
  },
  readQuery: { held: `x-${word}-held` },
  action: actionNames,
  header: {
    apiKey: `x-${word}-api-key`,
    signature: `x-${word}-signature`,
    hook: `${word}-hook`,
    accept: `${word}-accept`,
    rangeStart: rangeStartHeader.replace(ourWord, word),
    largestAppend: largestAppendHeader.replace(ourWord, word),
    version: `x-${word}-version`,
    warning: `x-${word}-warning`,
    webhookId: "webhook-id",
    webhookTimestamp: "webhook-timestamp",
    webhookSignature: "webhook-signature",
  },
  path: {
    register: "route-metadata",
    registrations: "route-registrations",
    callbackResult: "callback-result",
    file: "f",
    appFile: "a",
    prefix: "p",
    heldFile: "scan",
    verdict: "verdict",
    api: "v6",
    oldApi: "api",
    health: "health",
    ready: "ready",
    metrics: "metrics",
  },
})

/** The names in use. */
export const names: WireNames = /* @__PURE__ */ wireNames(ourWord)

/**
 * The environment variable of an option: `logLevel` → `SLUICE_LOG_LEVEL`.
 *
 * Source: docs/protocol.md §1.
 */
export const envName = (option: string): string =>
  names.envPrefix + option.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()
