import { BlobStoreError, type BlobStore } from "../blob-store.ts"
import { consumeBody } from "../consume-body.ts"

interface Blob {
  epoch: number
  size: number
  isFinished: boolean
  chunks: Array<Uint8Array>
}

const digestOf = ({ chunks }: Blob): string => {
  const hash = process.getBuiltinModule("node:crypto").createHash("sha256")
  for (const chunk of chunks) hash.update(chunk)
  return hash.digest("hex")
}

/**
 * Keeps blobs in memory, for tests and demonstrations.
 *
 * *Configuration*: none. *What is stored where*: chunks in a map, gone with the process.
 * *Considerations*: not durable, and memory is the only limit.
 */
export const createMemoryBlobStore = (): BlobStore => {
  const blobs = new Map<string, Blob>()

  /** The blob, after fencing: it remembers the newest epoch and refuses older ones. */
  const admit = (key: string, epoch: number): Blob => {
    const blob = blobs.get(key) ?? { epoch, size: 0, isFinished: false, chunks: [] }
    if (epoch < blob.epoch) {
      throw new BlobStoreError("fenced", `Epoch ${epoch} was fenced off by epoch ${blob.epoch}.`)
    }
    blob.epoch = epoch
    blobs.set(key, blob)
    return blob
  }

  return {
    abilities: { isDurable: false, readsUnfinished: true },
    claim: async (key, epoch) => {
      const { size, isFinished } = admit(key, epoch)
      return { size, isFinished }
    },
    append: async (key, { epoch, offset, body }) => {
      const blob = admit(key, epoch)
      if (blob.isFinished || blob.size !== offset) {
        throw new BlobStoreError("offset", `The blob ends at ${blob.size}, not at ${offset}.`)
      }
      const broken = await consumeBody(body, (chunk) => {
        if (blob.epoch !== epoch || blobs.get(key) !== blob) {
          throw new BlobStoreError("fenced", `Epoch ${epoch} was fenced off by epoch ${blob.epoch}.`)
        }
        blob.chunks.push(chunk.slice())
        blob.size += chunk.length
      })
      return { offset: blob.size, ...broken }
    },
    finish: async (key, { epoch, size, isHashed = false }) => {
      const blob = admit(key, epoch)
      if (blob.size !== size) throw new BlobStoreError("offset", `The blob has ${blob.size} bytes, not ${size}.`)
      blob.isFinished = true
      return { digest: isHashed ? digestOf(blob) : "", ref: null }
    },
    read: async (key, { start, end }) => {
      const blob = blobs.get(key)
      if (blob === undefined || end >= blob.size) throw new BlobStoreError("missing", "There are no such bytes.")
      const { chunks } = blob
      let index = 0
      let position = 0
      return new ReadableStream<Uint8Array>(
        {
          pull: (controller) => {
            for (let chunk = chunks[index]; chunk !== undefined; chunk = chunks[++index]) {
              const from = Math.max(start - position, 0)
              const to = Math.min(end + 1 - position, chunk.length)
              position += chunk.length
              if (from >= to) continue
              index++
              controller.enqueue(chunk.slice(from, to))
              if (position > end) controller.close()
              return
            }
            controller.close()
          },
        },
        { highWaterMark: 0 },
      )
    },
    remove: async (key) => {
      blobs.delete(key)
    },
    probe: async () => {},
    close: async () => {},
  }
}
