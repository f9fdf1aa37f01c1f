/*
 * How values go to PostgreSQL and come back, whatever the process has set for `pg` as a whole.
 *
 * A `text` of PostgreSQL cannot hold the character U+0000, which a custom id, an answer of an app or an error may contain.
 * It is written as U+0001 and `0`, and U+0001 itself as U+0001 and `1`: a text without either is written as it is, equal
 * texts stay equal, and every text is read as it was.
 */
import type { PostgresTypes } from "./pool.ts"

const special = /[\u0000\u0001]/g

const encodeText = (text: string): string =>
  text.replace(special, (character) => (character === "\u0000" ? "\u00010" : "\u00011"))

const decodeText = (text: string): string =>
  text.includes("\u0001") ? text.replace(/\u0001([01])/g, (_, digit) => (digit === "0" ? "\u0000" : "\u0001")) : text

/** A value of a parameter, as PostgreSQL takes it. */
export const toParameter = (value: unknown): unknown => {
  if (typeof value === "string") return encodeText(value)
  return Array.isArray(value) ? value.map(toParameter) : value
}

/** Several values in one parameter. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => (typeof part === "string" ? encodeText(part) : part))

const fromJson = (json: string): unknown =>
  JSON.parse(json, (_key, part: unknown) => (typeof part === "string" ? decodeText(part) : part))

const parsers: Readonly<Record<number, (value: string) => unknown>> = {
  // bytea, in hexadecimal.
  17: (value) => new Uint8Array(Buffer.from(value.slice(2), "hex")),
  // int8, int2, int4, numeric: nothing of ours is larger than a number can hold.
  20: Number,
  21: Number,
  23: Number,
  1700: Number,
  // bool
  16: (value) => value === "t",
  // json
  114: fromJson,
}

/** How values of columns are read. */
export const types: PostgresTypes = { getTypeParser: (oid) => parsers[oid] ?? decodeText }

/** How long something waits for a lock that another transaction holds. */
export const lockTime = "5s"
