import { appendBytes, nothingGathered, toBytes } from "../../server-kit/append-bytes.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import { findContentMismatch, sampleSize } from "./content-type.ts"
import { tooManyBytes } from "../refusals.ts"

/** Always a copy: the next owner of the chunk may free it. */
const concat = (before: Uint8Array, added: Uint8Array): Uint8Array => {
  const both = new Uint8Array(before.length + added.length)
  both.set(before)
  both.set(added, before.length)
  return both
}

/**
 * Counts a file's bytes on their way to the store, and checks the first ones against the declared type before any of
 * them is passed on.
 *
 * @param start  where the bytes begin in the file
 * @param prefix the stored bytes before them, as far as the check needs them: {@link prefixNeeded}
 *
 * Fails: throws `Rejected` SIZE_MISMATCH or CONTENT_MISMATCH, and what the body fails with.
 */
export async function* inspect(
  body: AsyncIterable<Uint8Array>,
  { type, size }: Pick<UploadGrant, "type" | "size">,
  start: number,
  prefix: Uint8Array,
): AsyncGenerator<Uint8Array, void> {
  const needed = Math.min(sampleSize, size)
  let sample: Uint8Array | undefined = start < needed ? prefix : undefined
  let end = start
  for await (const chunk of body) {
    end += chunk.length
    if (end > size) throw tooManyBytes(size)
    if (sample !== undefined) {
      sample = concat(sample, chunk.subarray(0, needed - sample.length))
      if (sample.length === needed) {
        const mismatch = await findContentMismatch(type, sample)
        if (mismatch !== undefined) throw new Rejected({ code: "CONTENT_MISMATCH", detail: mismatch })
        sample = undefined
      }
    }
    yield chunk
  }
}

/** How many stored bytes {@link inspect} needs when an upload is resumed at `start`. */
export const prefixNeeded = (start: number): number => (start < sampleSize ? start : 0)

/** A body that was read in advance. */
export interface ReadAhead {
  /** All of it, if it ended properly and has exactly the expected size. */
  readonly whole: Uint8Array | undefined
  /** The whole body again: the bytes that were read, then the error or the end that followed. */
  readonly replay: () => AsyncGenerator<Uint8Array, void>
}

/** Reads a body to its end, or to where it broke off. Only for bodies that are known to be small. */
export const readAhead = async (body: AsyncIterable<Uint8Array>, size: number): Promise<ReadAhead> => {
  let gathered = nothingGathered
  let failed: { readonly cause: unknown } | undefined
  try {
    for await (const chunk of body) gathered = appendBytes(gathered, chunk)
  } catch (cause) {
    failed = { cause }
  }
  const bytes = toBytes(gathered)
  return {
    whole: failed === undefined && bytes.length === size ? bytes : undefined,
    async *replay() {
      if (bytes.length > 0) yield bytes
      if (failed !== undefined) throw failed.cause
    },
  }
}
