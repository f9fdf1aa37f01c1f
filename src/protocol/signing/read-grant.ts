import { findNameMistake } from "../files/file-name.ts"
import { names } from "../names.ts"
import type { MaybePromise, Signer } from "./signature.ts"
import { encodeQueryValue, signUrl } from "./signed-url.ts"

/** What a signed URL for reading grants, beside the file that its path names. */
export interface ReadGrant {
  /** ms since the epoch. */
  readonly expires: number
  /** Whether browsers save the file instead of showing it: `true` under its own name, a text under that one. */
  readonly download?: boolean | string | undefined
  /** Whether it reads the file while it is held, too. */
  readonly held?: boolean | undefined
}

const { expires, contentDisposition, fileName } = names.query
const alsoHeld = `&${names.readQuery.held}=true`
const asDownload = `&${contentDisposition}=attachment`
const underName = `&${fileName}=`

/**
 * Builds and signs a URL that reads one file.
 *
 * Shape:  `<address>?expires=<ms>[&x-sluice-held=true][&x-sluice-content-disposition=attachment[&x-sluice-file-name=…]]&signature=…`
 * Source: docs/protocol.md §10.
 *
 * @param address where the file is read, without a query
 */
export const signReadUrl = (address: string, grant: ReadGrant, signer: Signer): MaybePromise<string> => {
  const { download = false } = grant
  let url = `${address}?${expires}=${grant.expires}`
  if (grant.held === true) url += alsoHeld
  if (download !== false) url += asDownload
  if (typeof download === "string") url += underName + encodeQueryValue(download)
  return signUrl(url, signer)
}

/** Whether the query of a URL has a parameter with this value, after another one. */
const hasParameter = (url: string, parameter: string): boolean => {
  const query = url.indexOf("?")
  return query >= 0 && `${url.slice(query)}&`.includes(`${parameter}&`)
}

/** Whether a URL, signed or not, wants the file to be saved: only its app may say so, whoever may read the file. */
export const wantsDownload = (url: string): boolean => hasParameter(url, asDownload)

/** Whether a URL, signed or not, wants the file while it is held, too: only its app may say so. */
export const wantsHeld = (url: string): boolean => hasParameter(url, alsoHeld)

/** Reads what {@link signReadUrl} has built, its signature verified and removed; undefined where it grants no reading. */
export const parseReadUrl = (signed: string): ReadGrant | undefined => {
  const query = signed.slice(signed.indexOf("?") + 1)
  // What an app signs for another purpose does not begin with the time.
  const [name, time] = query.split("&", 1)[0]!.split("=", 2)
  if (name !== expires || !/^\d{1,16}$/.test(time ?? "")) return undefined
  const grant = { expires: Number(time), held: wantsHeld(signed) }
  if (!wantsDownload(signed)) return grant
  const under = new URLSearchParams(query).get(fileName) ?? undefined
  if (under !== undefined && findNameMistake(under) !== undefined) return undefined
  return { ...grant, download: under ?? true }
}
