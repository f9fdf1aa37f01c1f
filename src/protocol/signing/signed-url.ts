import { limits } from "../limits.ts"
import { defaultMediaType, normalizeMediaType } from "../files/media-type.ts"
import { names } from "../names.ts"
import { accept, type Outcome, refuse } from "../errors/outcome.ts"
import { type MaybePromise, type Signer, signaturePrefix } from "./signature.ts"

export const contentDispositions = ["inline", "attachment"] as const

/** Whether browsers show a stored file or offer it for download. */
export type ContentDisposition = (typeof contentDispositions)[number]

export const acls = ["public-read", "private"] as const

/** Who may read a stored file: anybody, or the holder of a signed URL. */
export type Acl = (typeof acls)[number]

export const cacheRules = ["revalidate", "immutable"] as const

/**
 * How long caches may keep a stored file that anybody may read: they ask before each use whether theirs is still right, or
 * they keep it for a year and ask nobody.
 */
export type CacheRule = (typeof cacheRules)[number]

export const transports = ["direct"] as const

/** How the bytes of a file travel, where that is not through the ingest: straight to its bucket, where it has one. */
export type Transport = (typeof transports)[number]

/** What a signed upload URL grants: to store one file under one key. */
export interface UploadGrant {
  readonly key: string
  readonly appId: string
  /** ms since the epoch. */
  readonly expires: number
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** As `normalizeMediaType` returns it; `application/octet-stream` where the URL names none. */
  readonly type: string
  /** Only on client-side uploads: the file route, whose callback is due. */
  readonly slug?: string | undefined
  /** Id of the registration that the upload belongs to: 1 to 64 URL-safe characters. */
  readonly registrationId?: string | undefined
  /** When the first URL of this upload was signed, ms since the epoch; renewals keep it. */
  readonly issuedAt?: number | undefined
  /** What the app wants for the upload, encrypted for the ingest: a {@link SealedRegistration}. Only with a slug. */
  readonly seal?: string | undefined
  /** What the app says of the file for itself, encrypted for the ingest: {@link FileLabels}. */
  readonly labels?: string | undefined
  readonly customId?: string | undefined
  readonly contentDisposition?: ContentDisposition | undefined
  readonly acl?: Acl | undefined
  readonly cache?: CacheRule | undefined
  readonly transport?: Transport | undefined
}

const escapes: Record<string, string> = {
  "%20": "+",
  "!": "%21",
  "'": "%27",
  "(": "%28",
  ")": "%29",
  "~": "%7E",
}

/** Percent-encodes as `URLSearchParams` does, an order of magnitude faster. Lone surrogates become U+FFFD. */
export const encodeQueryValue = (value: string): string =>
  /^[\w*.-]*$/.test(value)
    ? value
    : encodeURIComponent(value.isWellFormed() ? value : value.toWellFormed()).replace(
        /%20|[!'()~]/g,
        (c) => escapes[c]!,
      )

const signatureMark = `&${names.query.signature}=`
const signatureParameter = signatureMark + encodeQueryValue(signaturePrefix)

const appendSignature = (url: string, signature: string): string =>
  url + signatureParameter + signature.slice(signaturePrefix.length)

/**
 * Signs any URL that already has a query: `<url>&signature=hmac-sha256%3D<hex>`; the signature covers everything
 * before it.
 *
 * Source: docs/protocol.md §4.
 */
export const signUrl = (url: string, signer: Signer): MaybePromise<string> => {
  const signature = signer.sign(url)
  return typeof signature === "string"
    ? appendSignature(url, signature)
    : signature.then((value) => appendSignature(url, value))
}

/**
 * Verifies a URL of {@link signUrl}: returns the URL without its signature, or why it is invalid. It does not check
 * the time.
 *
 * Fails: as a value, code INVALID_SIGNATURE, even for something other than a text; never throws.
 */
export const verifySignedUrl = (input: string | null | undefined, signer: Signer): MaybePromise<Outcome<string>> => {
  const url = typeof input === "string" ? input : ""
  const mark = url.lastIndexOf(signatureMark)
  const digest = url.slice(mark + signatureParameter.length)
  if (mark < 0 || !url.startsWith(signatureParameter, mark) || !/^[0-9a-f]{64}$/.test(digest)) {
    return refuse("INVALID_SIGNATURE", "The URL carries no signature. Use the URL exactly as it was issued.")
  }
  const signed = url.slice(0, mark)
  const judge = (valid: boolean): Outcome<string> =>
    valid
      ? accept(signed)
      : refuse("INVALID_SIGNATURE", "The signature does not match the URL. Use the URL exactly as it was issued.")
  const verdict = signer.verify(signed, signaturePrefix + digest)
  return typeof verdict === "boolean" ? judge(verdict) : verdict.then(judge)
}

/** The upload URL of a grant, before it is signed. */
const toUploadUrl = (ingestUrl: string, grant: UploadGrant): string => {
  const { query } = names
  let url = `${ingestUrl}/${grant.key}?${query.expires}=${grant.expires}&${query.identifier}=${encodeQueryValue(grant.appId)}&${query.fileName}=${encodeQueryValue(grant.name)}&${query.fileSize}=${grant.size}&${query.fileType}=${encodeQueryValue(grant.type)}`
  if (grant.slug !== undefined) url += `&${query.slug}=${encodeQueryValue(grant.slug)}`
  if (grant.registrationId !== undefined) url += `&${query.registration}=${encodeQueryValue(grant.registrationId)}`
  if (grant.issuedAt !== undefined) url += `&${query.issued}=${grant.issuedAt}`
  if (grant.seal !== undefined) url += `&${query.seal}=${grant.seal}`
  if (grant.labels !== undefined) url += `&${query.labels}=${grant.labels}`
  if (grant.customId !== undefined) url += `&${query.customId}=${encodeQueryValue(grant.customId)}`
  if (grant.contentDisposition !== undefined) url += `&${query.contentDisposition}=${grant.contentDisposition}`
  if (grant.acl !== undefined) url += `&${query.acl}=${grant.acl}`
  if (grant.cache !== undefined) url += `&${query.cache}=${grant.cache}`
  if (grant.transport !== undefined) url += `&${query.transport}=${grant.transport}`
  return url
}

/**
 * Builds and signs the URL a client may PUT one file to.
 *
 * Shape:  `{ingestUrl}/{key}?expires=…&…&signature=hmac-sha256%3D…`; the signature covers everything before
 *         `&signature`.
 * Units:  `grant.expires` in ms since the epoch, `grant.size` in bytes.
 * Source: docs/protocol.md §4.
 *
 * @param ingestUrl the ingest's public base URL, no slash at the end
 */
export const signUploadUrl = (ingestUrl: string, grant: UploadGrant, signer: Signer): MaybePromise<string> =>
  signUrl(toUploadUrl(ingestUrl, grant), signer)

const wholeNumber = (text: string | undefined): number | undefined => {
  if (text === undefined || !/^\d{1,16}$/.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}

const oneOf = <const A extends string>(text: string | undefined, allowed: ReadonlyArray<A>): A | undefined | null =>
  text === undefined ? undefined : (allowed.find((value) => value === text) ?? null)

const decodeQueryValue = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

/** A seal of 64 KiB of metadata and all that belongs to them. */
const sealPattern = /^[\w-]{1,100000}$/

/** Sealed labels of the greatest length. */
const labelsPattern = /^[\w-]{1,10000}$/

const fields: ReadonlySet<string> = /* @__PURE__ */ new Set(Object.values(names.query))

/**
 * Reads the query of an upload URL strictly by its grammar, so that no other text signed by a key can be mistaken for
 * an upload: `expires` first, then fields of {@link names.query}, each at most once, `signature` last if it is
 * present.
 *
 * @returns the values by name, or what is wrong
 */
const parseQuery = (query: string): ReadonlyMap<string, string> | { readonly mistake: string } => {
  const values = new Map<string, string>()
  for (const field of query.split("&")) {
    const equals = field.indexOf("=")
    const name = field.slice(0, Math.max(equals, 0))
    const isInPlace =
      (values.size === 0) === (name === names.query.expires) &&
      fields.has(name) &&
      !values.has(name) &&
      !values.has(names.query.signature)
    if (!isInPlace) return { mistake: values.size === 0 ? names.query.expires : "query" }
    const text = field.slice(equals + 1)
    const value = /[%+]/.test(text) ? decodeQueryValue(text) : text
    if (value === undefined) return { mistake: name }
    values.set(name, value)
  }
  return values
}

/**
 * Reads the grant out of an upload URL without verifying it: neither signature nor time are checked.
 *
 * The ingest reads `appId` this way to know whose key must verify the URL; nothing else may be trusted before that.
 * Fails:  as a value, code BAD_REQUEST.
 * Source: docs/protocol.md §4.
 */
export const parseUploadUrl = (url: string | null | undefined): Outcome<UploadGrant> => {
  const malformed = (what: string) =>
    refuse("BAD_REQUEST", `The upload URL has no valid ${what}. Use the URL exactly as it was issued.`)
  const mark = typeof url === "string" ? url.indexOf("?") : -1
  if (typeof url !== "string" || mark < 0) return malformed("query")
  const key = url.slice(url.lastIndexOf("/", mark) + 1, mark)
  if (!/^[A-Za-z0-9_-]+$/.test(key) || key.length > limits.fileKey) return malformed("file key")
  const { query } = names
  const values = parseQuery(url.slice(mark + 1))
  if ("mistake" in values) return malformed(values.mistake)
  const expires = wholeNumber(values.get(query.expires))
  if (expires === undefined) return malformed(query.expires)
  for (const name of [query.identifier, query.fileName]) if (!values.get(name)) return malformed(name)
  const size = wholeNumber(values.get(query.fileSize))
  if (size === undefined) return malformed(query.fileSize)
  const type = normalizeMediaType(values.get(query.fileType) || defaultMediaType)
  if (type === undefined) return malformed(query.fileType)
  const registrationId = values.get(query.registration)
  if (registrationId !== undefined && !/^[\w-]{1,64}$/.test(registrationId)) return malformed(query.registration)
  const issuedAt = wholeNumber(values.get(query.issued))
  if (issuedAt === undefined && values.has(query.issued)) return malformed(query.issued)
  const seal = values.get(query.seal)
  if (seal !== undefined && !(values.has(query.slug) && sealPattern.test(seal))) return malformed(query.seal)
  const labels = values.get(query.labels)
  if (labels !== undefined && !labelsPattern.test(labels)) return malformed(query.labels)
  const contentDisposition = oneOf(values.get(query.contentDisposition), contentDispositions)
  if (contentDisposition === null) return malformed(query.contentDisposition)
  const acl = oneOf(values.get(query.acl), acls)
  if (acl === null) return malformed(query.acl)
  const cache = oneOf(values.get(query.cache), cacheRules)
  if (cache === null) return malformed(query.cache)
  const transport = oneOf(values.get(query.transport), transports)
  if (transport === null) return malformed(query.transport)
  return accept({
    key,
    appId: values.get(query.identifier)!,
    expires,
    name: values.get(query.fileName)!,
    size,
    type,
    slug: values.get(query.slug),
    registrationId,
    issuedAt,
    seal,
    labels,
    customId: values.get(query.customId),
    contentDisposition,
    acl,
    cache,
    transport,
  })
}

/**
 * Reads the grant out of a signed upload URL; refuses a URL that we did not sign or that has expired.
 *
 * Shape:  the complete URL as issued: behind a proxy, the ingest's public base URL + the request's path and query.
 * Units:  `now` in ms since the epoch; `grace` in ms for which an expired URL is still accepted (renewal), by default
 *         0. Where either is not a number, every URL counts as expired.
 * Fails:  as a value, codes INVALID_SIGNATURE, EXPIRED_URL, BAD_REQUEST; never throws.
 * Source: docs/protocol.md §4.
 */
export const verifyUploadUrl = (
  url: string | null | undefined,
  signer: Signer,
  options: { readonly now: number; readonly grace?: number },
): MaybePromise<Outcome<UploadGrant>> => {
  const read = (signed: Outcome<string>): Outcome<UploadGrant> => {
    if (!signed.ok) return signed
    const grant = parseUploadUrl(url)
    return grant.ok && !(grant.value.expires + (options.grace ?? 0) > options.now)
      ? refuse(
          "EXPIRED_URL",
          `The upload URL of ${JSON.stringify(grant.value.name)} has expired. Ask the app for a new one.`,
        )
      : grant
  }
  const signed = verifySignedUrl(url, signer)
  return signed instanceof Promise ? signed.then(read) : read(signed)
}
