import type { Incoming } from "../../http/incoming.ts"
import { Rejected } from "../../server-kit/rejected.ts"

/**
 * The SHA-256 in a `content-digest` or `repr-digest` field, as 64 hex digits; other algorithms are ignored.
 *
 * Shape:  `sha-256=:<base64>:`, members separated by commas. Fails: throws `Rejected` BAD_REQUEST when malformed.
 * Source: RFC 9530 §2, §3.
 */
export const parseSha256Field = (headers: Incoming["headers"], name: string): string | undefined => {
  const field = headers.get(name)
  const member = field === null ? null : /(?:^|,)\s*sha-256\s*=\s*([^,;\s]*)/i.exec(field)
  if (member === null) return undefined
  const base64 = /^:([A-Za-z0-9+/]{43}=):$/.exec(member[1]!)
  if (base64 === null) {
    throw new Rejected({ code: "BAD_REQUEST", detail: `The field ${name} is not of the form sha-256=:<base64>:.` })
  }
  return Array.from(atob(base64[1]!), (c) => c.charCodeAt(0).toString(16).padStart(2, "0")).join("")
}

/** Writes what {@link parseSha256Field} reads, from 64 hex digits. */
export const formatSha256Field = (hex: string): string => {
  const bytes = hex.match(/../g)!.map((pair) => String.fromCharCode(Number.parseInt(pair, 16)))
  return `sha-256=:${btoa(bytes.join(""))}:`
}

/** Whether `want-repr-digest` asks for a SHA-256: a preference from 1 to 10; 0 says no. Source: RFC 9530 §4. */
export const isDigestWanted = (headers: Incoming["headers"]): boolean =>
  /(?:^|,)\s*sha-256\s*=\s*(?:[1-9]|10)\s*(?:[,;]|$)/.test(headers.get("want-repr-digest") ?? "")

/** Fails: throws `Rejected` DIGEST_MISMATCH. */
export const checkDigest = (name: string, announced: string | undefined, actual: string): void => {
  if (announced !== undefined && announced !== actual) {
    throw new Rejected({
      code: "DIGEST_MISMATCH",
      detail: `The content's SHA-256 is ${actual}, but ${name} announced ${announced}. Send the file again.`,
    })
  }
}
