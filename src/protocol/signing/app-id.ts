import Sqids from "sqids"
import { djb2, shuffle } from "../files/key.ts"

const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/**
 * The prefix of all file keys of an app, at least 12 letters and digits.
 *
 * Takes about 250 µs (sqids filters its block list): call it once per app, never per file.
 * Source: docs/protocol.md §3.
 */
export const encodeAppId = (appId: string): string =>
  new Sqids({ alphabet: shuffle(alphabet, appId), minLength: 12 }).encode([Math.abs(djb2(appId))])
