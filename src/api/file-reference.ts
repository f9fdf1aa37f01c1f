import { UploadError } from "../protocol/errors/upload-error.ts"
import { kindOf } from "../protocol/kind-of.ts"
import { limits } from "../protocol/limits.ts"
import type { FileReference, OfOwner } from "../protocol/rest-messages.ts"
import type { KeyType } from "../schema/server-api-options.ts"
import type { CallOptions } from "./call-ingest.ts"

/** Whose the named files have to be. */
export interface OwnerOptions extends CallOptions {
  /**
   * Whose all of these files must be: others are treated as files that do not exist. Give it whenever a page has sent the
   * keys, so that it cannot name the files of somebody else.
   */
  readonly owner?: string | undefined
}

/** How the files of a call are named, and whose they have to be. */
export interface KeyOptions extends OwnerOptions {
  /** Whether files are named by their keys or by the custom ids that the app gave them; by default the API's `defaultKeyType`. */
  readonly keyType?: KeyType | undefined
}

/** The new name of one file. The file is given by its key, its custom id, or by `key`, which `defaultKeyType` interprets. */
export type FileRename = { readonly newName: string } & (FileReference | { readonly key: string })

export const toReference = (key: string, keyType: KeyType): FileReference =>
  keyType === "fileKey" ? { fileKey: key } : { customId: key }

const refuse = (message: string) => new UploadError({ code: "BAD_REQUEST", message })

/** How the files of a call are named. Fails: throws an UploadError, code BAD_REQUEST: any other word would mean custom ids. */
export const readKeyType = ({ keyType }: Pick<KeyOptions, "keyType">, byDefault: KeyType): KeyType => {
  if (keyType === undefined || keyType === null) return byDefault
  if (keyType === "fileKey" || keyType === "customId") return keyType
  const given = typeof keyType === "string" ? JSON.stringify(keyType) : kindOf(keyType)
  throw refuse(`keyType must be fileKey or customId, not ${given}.`)
}

/** Fails: throws an UploadError, code BAD_REQUEST, where a key is no text. */
export const checkKey = (method: string, key: unknown): void => {
  if (typeof key !== "string") throw refuse(`${method}: expected a key, not ${kindOf(key)}.`)
}

/**
 * Turns a key or several into a list.
 *
 * Fails: throws an UploadError, code BAD_REQUEST, for anything else: a Set, an iterator, a promise that nobody awaited.
 */
export const toKeys = (method: string, keys: string | ReadonlyArray<string>): ReadonlyArray<string> => {
  if (typeof keys === "string") return [keys]
  if (!Array.isArray(keys)) throw refuse(`${method}: expected a key or a list of keys, not ${kindOf(keys)}.`)
  const list: ReadonlyArray<unknown> = keys
  // By number: a hole in the list is no key, either.
  for (let at = 0; at < list.length; at++) checkKey(`${method}, key ${at} of the list`, list[at])
  return keys
}

/** Turns one item or several into a list. */
export const toList = <A>(items: A | ReadonlyArray<A>): ReadonlyArray<A> =>
  Array.isArray(items) ? (items as ReadonlyArray<A>) : [items as A]

/** As {@link sumCalls}, where each call says which files it found. */
export const collectKeys = async (
  asked: ReadonlyArray<string>,
  call: (some: ReadonlyArray<string>) => Promise<ReadonlyArray<string>>,
): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  await sumCalls(asked, async (some) => {
    const keys = await call(some)
    found.push(...keys)
    return keys.length
  })
  return found
}

/** The owner as it goes into a request. */
export const ofOwner = ({ owner }: OwnerOptions): OfOwner => (owner === undefined ? {} : { owner })

/** Makes as few calls as the limit of files per call allows, one after the other, and adds up their counts. */
export const sumCalls = async <A>(
  items: ReadonlyArray<A>,
  call: (some: ReadonlyArray<A>) => Promise<number>,
): Promise<number> => {
  let count = 0
  for (let at = 0; at < items.length; at += limits.filesPerCall) {
    count += await call(items.slice(at, at + limits.filesPerCall))
  }
  return count
}
