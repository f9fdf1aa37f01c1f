import type { S3Client } from "./client/s3-client.ts"
import { S3Error } from "./client/s3-error.ts"

/** How often an answer may break off before that counts as a failure. */
const breaksAtMost = 4

/**
 * Hands over the bytes `start` to `end`, both included, of an object, each once and in order; all of it by default. Where an
 * answer breaks off, the rest is asked for again: of many ranges one always does, and it would fail a whole file.
 *
 * Fails: rejects with the client's error, or with that of `take`.
 */
export const readObject = async (
  client: S3Client,
  name: string,
  take: (bytes: Uint8Array) => Promise<void> | void,
  { start = 0, end, signal }: { start?: number; end?: number; signal?: AbortSignal } = {},
): Promise<void> => {
  for (let at = start, breaks = 0; ;) {
    const range = { start: at, ...(end !== undefined && { end }), signal }
    const { body, size } = await client.getObject(name, at === 0 && end === undefined ? { signal } : range)
    try {
      for await (const bytes of body) {
        await take(bytes)
        at += bytes.length
      }
      return
    } catch (cause) {
      if (!(cause instanceof S3Error && cause.isRetryable) || ++breaks === breaksAtMost) throw cause
      // It may have broken off behind the last byte.
      if (at > (end ?? size - 1)) return
    }
  }
}
