/**
 * Names of a blob's objects: `<prefix><key>/<epoch>` has the content, `<prefix><key>/t<epoch>.<offset>.<word>` a tail.
 *
 * No two epochs share a name: the last of two writers that put an object wins, and an older one that is late must not
 * replace a file that is committed. Nor do two tails, also of one epoch: the deletion of one may be late, and must not
 * remove another that was put since. Their word is made up.
 */
export const createObjectNames = (prefix: string) => ({
  /** All objects of a blob begin with it, and no others do: keys have no slash. */
  all: (key: string): string => `${prefix}${encodeKey(key)}/`,
  content: (key: string, ref: string): string => `${prefix}${encodeKey(key)}/${ref}`,
  tail: (key: string, epoch: number, offset: number): string =>
    `${prefix}${encodeKey(key)}/t${epoch}.${offset}.${crypto.randomUUID().slice(0, 8)}`,
})

export type ObjectNames = ReturnType<typeof createObjectNames>

/** Keys of the ingest stay as they are; whatever else a key may hold becomes what every bucket takes. */
const encodeKey = (key: string): string =>
  key.replaceAll(/[^\w.-]|^\.+/gu, (part) =>
    [...new TextEncoder().encode(part)].map((byte) => `~${byte.toString(16).padStart(2, "0")}`).join(""),
  )

/** The epoch that an object was written under, by its name, and whether it is a tail; undefined for names of others. */
export const readObjectName = (name: string): { readonly epoch: number; readonly isTail: boolean } | undefined => {
  const [, tail, epoch] = /\/(t?)(\d+)(?:\.\d+\.\w+)?$/.exec(name) ?? []
  return epoch === undefined ? undefined : { epoch: Number(epoch), isTail: tail === "t" }
}
