import { type DurationInput, parseDuration } from "../protocol/duration.ts"
import { isKeyOf } from "../protocol/files/key.ts"
import { limits } from "../protocol/limits.ts"
import { findNameMistake } from "../protocol/files/file-name.ts"
import { names } from "../protocol/names.ts"
import { signReadUrl } from "../protocol/signing/read-grant.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import type { KeyType } from "../schema/server-api-options.ts"
import type { ApiSettings } from "./api-settings.ts"
import { type KeyOptions, readKeyType } from "./file-reference.ts"

/** Options of a signed URL for reading. */
export interface ReadUrlOptions extends KeyOptions {
  /** How long the URL is valid, `"2 hours"` or seconds; by default an hour, at most 7 days. */
  readonly expiresIn?: DurationInput | undefined
  /** Browsers save the file instead of showing it: with `true` under its own name, with a text under that one. */
  readonly download?: boolean | string | undefined
  /**
   * Whether the URL reads the file while it is held, too, for a person who decides about it: nobody has looked at what is in
   * it. Default false. Not with a custom id.
   */
  readonly held?: boolean | undefined
}

const refuse = (message: string) => new UploadError({ code: "BAD_REQUEST", message })

/** Whole seconds; undefined where the option is not given. Fails: throws an UploadError, code BAD_REQUEST. */
export const readExpiresIn = ({ expiresIn }: Pick<ReadUrlOptions, "expiresIn">): number | undefined => {
  if (expiresIn === undefined) return undefined
  const ttl = parseDuration(expiresIn)
  if (!ttl.ok) throw refuse(`expiresIn: ${ttl.detail}`)
  const seconds = Math.floor(ttl.value / 1000)
  if (seconds >= 1 && seconds <= limits.readUrlTtl) return seconds
  throw refuse(`expiresIn must be from 1 second to 7 days, not ${JSON.stringify(expiresIn)}.`)
}

/** The option as it was given. Fails: throws an UploadError, code BAD_REQUEST, where it is no name. */
export const readDownload = ({ download }: Pick<ReadUrlOptions, "download">): boolean | string | undefined => {
  const mistake = typeof download === "string" ? findNameMistake(download) : undefined
  if (mistake !== undefined) throw refuse(`download: expected ${mistake}.`)
  if (download === undefined || typeof download === "boolean" || typeof download === "string") return download
  throw refuse(`download must be true or a file name, not ${JSON.stringify(download)}.`)
}

/** The option as it was given. Fails: throws an UploadError, code BAD_REQUEST, where it is none, or the file is named by a custom id. */
export const readHeld = ({ held }: Pick<ReadUrlOptions, "held">, keyType: KeyType): boolean | undefined => {
  // A word that is meant as yes or no must not decide by being there.
  if (held !== undefined && typeof held !== "boolean") {
    throw refuse(`held must be true or false, not ${JSON.stringify(held)}.`)
  }
  if (held === true && keyType === "customId") throw refuse("A held file is read by its key: held needs a file key.")
  return held
}

/** Whether a text may be the key of a file of the app. */
export const isFileKey = ({ encodedAppId }: ApiSettings, text: string): boolean =>
  text.length <= limits.fileKey && /^[A-Za-z0-9_-]+$/.test(text) && isKeyOf(text, encodedAppId)

/**
 * The URL of a file of the app, which reads it where it is public; others need a signature.
 *
 * Fails: throws an UploadError, code BAD_REQUEST, where it can be the key or custom id of none.
 */
export const toReadUrl = (settings: ApiSettings, key: string, keyType: KeyType): string => {
  const { path } = names
  const { ingestUrl, appId } = settings
  if (keyType === "fileKey") {
    if (isFileKey(settings, key)) return `${ingestUrl}/${path.file}/${key}`
    throw refuse(`${JSON.stringify(key)} is not a file key of this app. For a custom id set \`keyType: "customId"\`.`)
  }
  // Every URL parser treats these two as path steps, however they are encoded.
  if (key === "" || key === "." || key === ".." || !key.isWellFormed()) {
    throw refuse(`No URL can name the custom id ${JSON.stringify(key)}. Use the file's key.`)
  }
  return `${ingestUrl}/${path.appFile}/${encodeURIComponent(appId)}/${encodeURIComponent(key)}`
}

/**
 * Signs a URL that reads a private file, without a request: it does so even for a file that does not exist.
 *
 * Shape:  `{ingestUrl}/f/<key>?expires=<ms>&…&signature=…`, of a custom id `{ingestUrl}/a/<appId>/<customId>?…`.
 * Fails:  rejects with an UploadError, code BAD_REQUEST.
 * Source: docs/protocol.md §4, §10.
 */
export const createReadUrl = async (
  settings: ApiSettings,
  key: string,
  options: ReadUrlOptions = {},
): Promise<string> => {
  const { signer, defaultKeyType } = settings
  const keyType = readKeyType(options, defaultKeyType)
  const url = toReadUrl(settings, key, keyType)
  const held = readHeld(options, keyType)
  const expires = Date.now() + (readExpiresIn(options) ?? 3600) * 1000
  return signReadUrl(url, { expires, download: readDownload(options), held }, signer)
}
