import type { S3Client } from "./client/s3-client.ts"
import { readObject } from "./read-object.ts"

/** Bytes of a range, and ranges that are read ahead: one after the other a bucket is slow, each has its delay. */
const rangeSize = 4 * 1024 * 1024
const ahead = 8

/** SHA-256 of an object of `size` bytes, read again; 64 lower-case hex digits. */
export const hashObject = async (client: S3Client, name: string, size: number): Promise<string> => {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256")
  const read = async (start: number): Promise<Uint8Array> => {
    const end = Math.min(start + rangeSize, size) - 1
    const range = new Uint8Array(end - start + 1)
    let length = 0
    const take = (bytes: Uint8Array): void => {
      range.set(bytes, length)
      length += bytes.length
    }
    await readObject(client, name, take, { start, end })
    if (length < range.length) throw new Error(`The object ended at ${start + length} of ${size} bytes.`)
    return range
  }
  const reading: Array<Promise<Uint8Array>> = []
  for (let next = 0; next < size || reading.length > 0;) {
    while (next < size && reading.length < ahead) {
      const range = read(next)
      // It is awaited in its turn; until then a failure must not count as unhandled.
      range.catch(() => {})
      reading.push(range)
      next += rangeSize
    }
    hash.update(await reading.shift()!)
  }
  return hash.digest("hex")
}
