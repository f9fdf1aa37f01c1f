import { create as createContentDisposition } from "content-disposition"
import type { Incoming } from "../../http/incoming.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { defaultMediaType, parseMediaType } from "../../protocol/files/media-type.ts"
import type { Acl, CacheRule } from "../../protocol/signing/signed-url.ts"
import { createBoundedMap } from "../bounded-map.ts"
import type { FileRecord } from "../storage/catalog/catalog.ts"
import { toStoredMediaType } from "./stored-media-type.ts"

const listTypes = (type: string, subtypes: string) => subtypes.split(" ").map((subtype) => `${type}/${subtype}`)

/**
 * Types that browsers show with a viewer of their own, which treats a file as pictures and sound and nothing else.
 * Some of these viewers, such as the one for PDF, do not work in a sandbox: its scripts run apart from the page's
 * origin.
 */
const passiveTypes: ReadonlySet<string> = new Set([
  ...listTypes("image", "apng avif bmp gif heic heif jpeg jpg jxl pjpeg png tiff vnd.microsoft.icon webp x-icon"),
  ...listTypes("audio", "aac flac mp3 mp4 mpeg ogg opus wav wave webm x-aac x-flac x-m4a x-wav"),
  ...listTypes("video", "3gpp mp4 mpeg ogg quicktime webm x-m4v x-matroska"),
  ...listTypes("application", "ogg pdf"),
])

/** Types that browsers turn into a page. They are offered for download unless their app wants them shown. */
const isPage = (type: string): boolean =>
  /^(text\/html|application\/xhtml\+xml|(text|application)\/(xml|xsl|rdf)|text\/cache-manifest)$|\+xml$/.test(type)

/** Types that a browser runs where a page asks for a script, a worker or a style of XML. */
const isProgram = (type: string): boolean => isPage(type) || /(ecma|java|j|live)script/.test(type)

/** Types whose parts name types of their own: the outer type does not tell what a browser makes of those. */
const isContainer = (type: string): boolean => /^(multipart|message)\//.test(type)

/** Turns a page into one of another, opaque origin: no script, no form, no plugin, nothing loaded. */
const sandboxPolicy = "sandbox; default-src 'none'; style-src 'unsafe-inline'"

/** Headers of every answer: it is exactly what they say. */
export const notSniffed = { "x-content-type-options": "nosniff" } as const

/** Headers of every error: one that quotes names chosen by a client is never a page. */
export const neverPage = { "content-security-policy": sandboxPolicy } as const

/** The purposes for which a browser would run the file: in a page, as a worker, or over all its requests. */
const programs: ReadonlySet<string> = new Set(
  "audioworklet paintworklet script serviceworker sharedworker worker xslt".split(" "),
)

/** Refuses a browser that wants to run a file: FORBIDDEN. Source: docs/protocol.md §10. */
export const findProgramRefusal = (headers: Incoming["headers"]): Rejected | undefined =>
  headers.has("service-worker") || programs.has(headers.get("sec-fetch-dest") ?? "")
    ? new Rejected({
        code: "FORBIDDEN",
        detail: "Stored files are data. No browser gets one as a script or a worker.",
      })
    : undefined

/** A short name for a text. */
const digest = (text: string): string =>
  process.getBuiltinModule("node:crypto").hash("sha256", text, "hex").slice(0, 16)

const secondsPerYear = 31_536_000

/** How long caches may keep what never changes: a year, but not beyond the file's own end, nor another one. */
const secondsLeft = ({ removeAt }: FileRecord, until: number, now: number): number =>
  Math.min(secondsPerYear, Math.max(0, Math.floor((Math.min(removeAt ?? Infinity, until) - now) / 1000)))

/** What decides how long caches may keep a file. */
export interface Keeping {
  readonly acl: Acl
  readonly cache: CacheRule
  /** When the URL ends, ms since the epoch, where its reader may keep a private file until then. */
  readonly until?: number
}

const toWhose = ({ acl }: Keeping) => (acl === "public-read" ? "public" : "private")

/** How long caches may use a file of this type without asking, s; undefined where they have to ask. */
const findMaxAge = (file: FileRecord, type: string, { acl, cache, until }: Keeping, now: number) => {
  // Caches that ignore `vary` would hand a program to whoever wants to run it.
  if (cache !== "immutable" || isProgram(type)) return undefined
  const end = acl === "public-read" ? Infinity : until
  return end === undefined ? undefined : secondsLeft(file, end, now)
}

/** What caches may do with a file that is held: nobody has it once it is rejected. */
const notKept = "private, no-store"

/** What caches may do with a file of this type. */
const toCacheControl = (file: FileRecord, type: string, keeping: Keeping, now: number): string => {
  if (file.hold) return notKept
  const [whose, maxAge] = [toWhose(keeping), findMaxAge(file, type, keeping, now)]
  if (maxAge === undefined) return `${whose}, no-cache`
  return `${whose}, max-age=${maxAge}${whose === "public" ? ", immutable" : ""}`
}

/** Stands for the bytes of a file: an id has the same ones for ever. */
const nameBytes = ({ fileHash, id, createdAt }: FileRecord): string => fileHash || `${id}-${createdAt}`

/**
 * The headers that the scanner gets a file with that is held: bytes, whatever they are, for nobody to show or keep.
 *
 * Source: docs/protocol.md §10.
 */
export const toHeldHeaders = (file: FileRecord): Readonly<Record<string, string>> => ({
  ...neverPage,
  "content-type": defaultMediaType,
  "content-disposition": "attachment",
  "cross-origin-resource-policy": "same-origin",
  "accept-ranges": "bytes",
  etag: `"${nameBytes(file)}"`,
  "last-modified": new Date(file.uploadedAt ?? 0).toUTCString(),
  "cache-control": notKept,
})

/** What decides how a file is sent, whatever its bytes are. */
type Declared = Pick<FileRecord, "name" | "type" | "contentDisposition">

/** How a file is sent: the type that it is, that type without parameters, and whether it is shown. */
const toManner = (file: Declared) => {
  const stored = toStoredMediaType(file.type)
  const essence = parseMediaType(stored)!
  if (isContainer(essence)) return { essence, type: defaultMediaType, disposition: "attachment" }
  return { essence, type: stored, disposition: file.contentDisposition ?? (isPage(essence) ? "attachment" : "inline") }
}

const offer = ({ name }: Declared, disposition: string): string => createContentDisposition(name, { type: disposition })

/** What is sent of a file's declared type and name, and a tag that stands for them. */
interface Presentation {
  readonly type: string
  readonly headers: Readonly<Record<string, string>>
  readonly tag: string
}

const present = (file: Declared): Presentation => {
  const { essence, type, disposition } = toManner(file)
  const offered = offer(file, disposition)
  const headers = {
    "content-type": type,
    "content-disposition": offered,
    "cross-origin-resource-policy": "cross-origin",
    ...(passiveTypes.has(essence)
      ? undefined
      : { "content-security-policy": sandboxPolicy, vary: "sec-fetch-dest, service-worker" }),
    "accept-ranges": "bytes",
  }
  return { type, headers, tag: digest(`${type}\n${offered}`) }
}

/** Of the files that were asked for last: with small ones this is as much work as to read and send them. */
const presentations = createBoundedMap<Presentation>(1000)

const presentOnce = (file: Declared): Presentation => {
  const declared = JSON.stringify([file.type, file.contentDisposition, file.name])
  const known = presentations.get(declared)
  if (known !== undefined) return known
  const made = present(file)
  presentations.set(declared, made)
  return made
}

/**
 * The headers that a file is sent with, so that none of it runs in the ingest's origin.
 *
 * Source: docs/protocol.md §10.
 */
export const toFileHeaders = (file: FileRecord, keeping: Keeping, now: number): Record<string, string> => {
  const { type, headers, tag } = presentOnce(file)
  return {
    ...headers,
    // Caches keep these headers with the bytes for as long as the tag is the same.
    etag: `"${nameBytes(file)}-${tag}"`,
    "last-modified": new Date(file.uploadedAt ?? 0).toUTCString(),
    "cache-control": toCacheControl(file, type, keeping, now),
  }
}

/** What a store says of a file that it sends itself. */
export interface SentElsewhere {
  readonly type: string
  readonly disposition: string
  readonly cacheControl: string
}

/**
 * How a store sends a file, which can be told its type and disposition and no policy; undefined where only the ingest may send
 * it. What a browser would run is never sent from there, and what is not of the passive types never shown.
 *
 * @param now no sooner than whoever gets this asks
 *
 * Source: docs/protocol.md §10.
 */
export const toSentElsewhere = (file: FileRecord, keeping: Keeping, now: number): SentElsewhere | undefined => {
  const { essence, type, disposition } = toManner(file)
  // What names other files by where it is itself would look for them in the bucket.
  if (isProgram(essence) || /mpegurl|scpls|^text\/css$|dash\+xml/.test(essence)) return undefined
  const isPassive = passiveTypes.has(essence)
  if (!isPassive && file.contentDisposition === "inline" && disposition === "inline") return undefined
  return {
    type,
    disposition: offer(file, isPassive ? disposition : "attachment"),
    cacheControl: toCacheControl(file, type, keeping, now),
  }
}

/** How long before a URL ends caches must not lead there any more, s. */
const redirectMargin = 60

/** What caches may do with a redirect to a file: as with the file, and not beyond the URL that it leads to. */
export const toRedirectCaching = (file: FileRecord, keeping: Keeping, urlEnds: number, now: number): string => {
  const maxAge = findMaxAge(file, toManner(file).type, keeping, now)
  if (maxAge === undefined) return `${toWhose(keeping)}, no-cache`
  return `${toWhose(keeping)}, max-age=${Math.min(maxAge, Math.max(0, Math.floor((urlEnds - now) / 1000) - redirectMargin))}`
}
