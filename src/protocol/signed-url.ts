import { limits } from "./limits.ts"
import { names } from "./names.ts"
import { accept, type Outcome, refuse } from "./outcome.ts"
import { type MaybePromise, type Signer, signaturePrefix } from "./signature.ts"

/** How a stored file is offered to a browser. */
export type ContentDisposition = "inline" | "attachment"

/** Who may read a stored file: anybody, or the holder of a signed URL. */
export type Acl = "public-read" | "private"

/** What a signed upload URL grants: to store one file under one key. */
export interface UploadGrant {
  readonly key: string
  readonly appId: string
  /** ms since the epoch. */
  readonly expires: number
  readonly name: string
  /** Bytes. */
  readonly size: number
  /** Media type; `application/octet-stream` where the URL names none. */
  readonly type: string
  /** Only on client-side uploads: the file route, whose callback is due. */
  readonly slug?: string | undefined
  readonly customId?: string | undefined
  readonly contentDisposition?: ContentDisposition | undefined
  readonly acl?: Acl | undefined
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
 * Signs any URL that already has a query: `<url>&signature=hmac-sha256%3D<hex>` over all that stands before.
 *
 * Source: docs/protocol.md §4.
 */
export const signUrl = (url: string, signer: Signer): MaybePromise<string> => {
  const signature = signer.sign(url)
  return typeof signature === "string"
    ? appendSignature(url, signature)
    : signature.then((value) => appendSignature(url, value))
}

/** Verifies {@link signUrl}: the URL without its signature, or why not. The clock plays no part here. */
export const verifySignedUrl = (url: string, signer: Signer): MaybePromise<Outcome<string>> => {
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
  if (grant.customId !== undefined) url += `&${query.customId}=${encodeQueryValue(grant.customId)}`
  if (grant.contentDisposition !== undefined) url += `&${query.contentDisposition}=${grant.contentDisposition}`
  if (grant.acl !== undefined) url += `&${query.acl}=${grant.acl}`
  return url
}

/**
 * Builds and signs the URL a client may PUT one file to.
 *
 * Shape:  `{ingestUrl}/{key}?expires=…&…&signature=hmac-sha256%3D…`; the signature covers all before `&signature`.
 * Units:  `grant.expires` in ms since the epoch, `grant.size` in bytes.
 * Source: docs/protocol.md §4.
 *
 * @param ingestUrl the ingest's public base URL, no slash at the end
 */
export const signUploadUrl = (ingestUrl: string, grant: UploadGrant, signer: Signer): MaybePromise<string> =>
  signUrl(toUploadUrl(ingestUrl, grant), signer)

const wholeNumber = (text: string | null): number | undefined => {
  if (text === null || !/^\d{1,16}$/.test(text)) return undefined
  const value = Number(text)
  return Number.isSafeInteger(value) ? value : undefined
}

const oneOf = <const A extends string>(text: string | null, allowed: ReadonlyArray<A>): A | undefined | null =>
  text === null ? undefined : (allowed.find((value) => value === text) ?? null)

/**
 * Reads the grant out of an upload URL without believing it: no signature, no clock.
 *
 * The ingest reads `appId` this way to know whose key must verify the URL; nothing else may be trusted before that.
 * Fails: as a value, code BAD_REQUEST.
 */
export const parseUploadUrl = (url: string): Outcome<UploadGrant> => {
  const malformed = (what: string) => refuse("BAD_REQUEST", `The upload URL has no valid ${what}.`)
  const mark = url.indexOf("?")
  if (mark < 0) return malformed("query")
  const key = url.slice(url.lastIndexOf("/", mark) + 1, mark)
  if (!/^[A-Za-z0-9_-]+$/.test(key) || key.length > limits.fileKey) return malformed("file key")
  const { query } = names
  const parameters = new URLSearchParams(url.slice(mark + 1))
  const expires = wholeNumber(parameters.get(query.expires))
  if (expires === undefined) return malformed(query.expires)
  const appId = parameters.get(query.identifier)
  if (appId === null || appId === "") return malformed(query.identifier)
  const name = parameters.get(query.fileName)
  if (name === null || name === "") return malformed(query.fileName)
  const size = wholeNumber(parameters.get(query.fileSize))
  if (size === undefined) return malformed(query.fileSize)
  const contentDisposition = oneOf(parameters.get(query.contentDisposition), ["inline", "attachment"])
  if (contentDisposition === null) return malformed(query.contentDisposition)
  const acl = oneOf(parameters.get(query.acl), ["public-read", "private"])
  if (acl === null) return malformed(query.acl)
  return accept({
    key,
    appId,
    expires,
    name,
    size,
    type: parameters.get(query.fileType) ?? "application/octet-stream",
    slug: parameters.get(query.slug) ?? undefined,
    customId: parameters.get(query.customId) ?? undefined,
    contentDisposition,
    acl,
  })
}

/**
 * Reads the grant out of a signed upload URL; refuses one we did not sign or that has expired.
 *
 * Shape:  the complete URL as issued: behind a proxy, the ingest's public base URL + the request's path and query.
 * Units:  `now` in ms since the epoch; `grace` in ms that an expired URL is still taken (renewal), 0 unless given.
 * Fails:  as a value, codes INVALID_SIGNATURE, EXPIRED_URL, BAD_REQUEST; never throws.
 * Source: docs/protocol.md §4.
 */
export const verifyUploadUrl = (
  url: string,
  signer: Signer,
  options: { readonly now: number; readonly grace?: number },
): MaybePromise<Outcome<UploadGrant>> => {
  const read = (signed: Outcome<string>): Outcome<UploadGrant> => {
    if (!signed.ok) return signed
    const grant = parseUploadUrl(signed.value)
    return grant.ok && grant.value.expires + (options.grace ?? 0) <= options.now
      ? refuse(
          "EXPIRED_URL",
          `The upload URL of ${JSON.stringify(grant.value.name)} has expired. Ask the app for a new one.`,
        )
      : grant
  }
  const signed = verifySignedUrl(url, signer)
  return signed instanceof Promise ? signed.then(read) : read(signed)
}
