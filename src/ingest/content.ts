import type { Hash } from "node:crypto"
import { Rejected } from "../http/rejected.ts"
import { findContentMismatch, sampleSize } from "./content-type.ts"

/** What is known of a file's content, from its first byte to as far as it was read. */
export interface Content {
  /** Bytes read so far. */
  readonly length: () => number
  /** Takes the next bytes. Fails: throws `Rejected` CONTENT_MISMATCH when they give the declared type the lie. */
  readonly update: (chunk: Uint8Array) => void | Promise<void>
  /** SHA-256 of all bytes, once; 64 lower-case hex digits. */
  readonly digest: () => string
}

/** Starts reading a file of a declared type and size. */
export const createContent = (type: string, size: number): Content => {
  const hash: Hash = process.getBuiltinModule("node:crypto").createHash("sha256")
  const needed = Math.min(sampleSize, size)
  let length = 0
  let sample: Uint8Array | undefined
  let isChecked = size === 0

  const check = async (bytes: Uint8Array): Promise<void> => {
    isChecked = true
    sample = undefined
    const mismatch = await findContentMismatch(type, bytes)
    if (mismatch !== undefined) throw new Rejected({ code: "CONTENT_MISMATCH", detail: mismatch })
  }

  return {
    length: () => length,
    update: (chunk) => {
      hash.update(chunk)
      length += chunk.length
      if (isChecked) return
      if (sample === undefined && chunk.length >= needed) return check(chunk.subarray(0, needed))
      const before = sample ?? new Uint8Array()
      const added = chunk.subarray(0, needed - before.length)
      sample = new Uint8Array(before.length + added.length)
      sample.set(before)
      sample.set(added, before.length)
      if (sample.length >= needed) return check(sample)
    },
    digest: () => hash.digest("hex"),
  }
}

/** The contents of unfinished uploads, kept between the requests of one process, the latest ones. */
export interface Contents {
  readonly keep: (key: string, content: Content) => void
  /** What was kept, if it was read exactly as far as `length`; it is the caller's from then on. */
  readonly take: (key: string, length: number) => Content | undefined
}

export const createContents = (capacity = 10_000): Contents => {
  const kept = new Map<string, Content>()
  return {
    keep: (key, content) => {
      kept.delete(key)
      kept.set(key, content)
      if (kept.size > capacity) kept.delete(kept.keys().next().value!)
    },
    take: (key, length) => {
      const content = kept.get(key)
      kept.delete(key)
      return content?.length() === length ? content : undefined
    },
  }
}
