import type { Worker } from "node:worker_threads"
import { runHashWorker, type HashAnswer, type HashTask } from "./file-hasher-worker.ts"

/** SHA-256 of files that grow, computed outside the thread that moves the bytes. */
export interface FileHasher {
  /** More of a file can be read: continue its hash in the background. */
  readonly follow: (id: string, path: string, size: number) => void
  /** SHA-256 of the first `size` bytes, 64 lower-case hex digits; what was already hashed is not read again. */
  readonly digest: (id: string, path: string, size: number) => Promise<string>
  /** The file is gone or begins anew. */
  readonly forget: (id: string) => void
  readonly close: () => Promise<void>
}

/**
 * Hashes by following: a worker thread reads what was written (from the system's cache) and keeps up. The bytes are
 * not copied between threads, nothing queues up in memory however far the worker is behind, and an interrupted upload
 * continues with the hash it had.
 *
 * One thread is faster than a disk writes. It starts with the first file and does not keep the process running. Where
 * it cannot run (a bundler mangled its text), files are hashed in this thread.
 */
export const createFileHasher = (): FileHasher => {
  let worker: Worker | undefined
  let send: ((task: HashTask) => void) | undefined
  let asked = 0
  let isBroken = false
  const waiting = new Map<
    number,
    {
      path: string
      size: number
      resolve: (digest: string | Promise<string>) => void
      reject: (cause: unknown) => void
    }
  >()

  const hashHere = async (path: string, size: number): Promise<string> => {
    const { Readable } = process.getBuiltinModule("node:stream")
    const { createReadStream } = process.getBuiltinModule("node:fs")
    const hash = process.getBuiltinModule("node:crypto").createHash("sha256")
    let left = size
    const pieces: AsyncIterable<Uint8Array> = size === 0 ? Readable.from([]) : createReadStream(path, { end: size - 1 })
    for await (const piece of pieces) {
      hash.update(piece)
      left -= piece.length
    }
    if (left > 0) throw new Error(`The file ends at ${size - left}, before ${size}.`)
    return hash.digest("hex")
  }

  const receive = ({ request, digest, error }: HashAnswer): void => {
    const asker = waiting.get(request)
    waiting.delete(request)
    if (waiting.size === 0) worker?.unref()
    if (digest === undefined) asker?.reject(Object.assign(new Error(error?.message), { code: error?.code }))
    else asker?.resolve(digest)
  }

  /** The thread is gone and would fail again: from now on all hashing happens here. */
  const doWithout = (): void => {
    isBroken = true
    worker = undefined
    send = undefined
    for (const { path, size, resolve } of waiting.values()) resolve(hashHere(path, size))
    waiting.clear()
  }

  const start = (): ((task: HashTask) => void) => {
    const { Worker } = process.getBuiltinModule("node:worker_threads")
    // It runs its own source text, so that no file of ours has to be found beside a bundle.
    const made = new Worker(`(${runHashWorker.toString()})()`, { eval: true, name: "sluice-hash" })
    made.unref()
    made.on("message", receive)
    made.on("error", doWithout)
    worker = made
    // A thread has no origin.
    // oxlint-disable-next-line unicorn/require-post-message-target-origin
    return (task) => made.postMessage(task)
  }

  const post = (task: HashTask): void => {
    send ??= start()
    send(task)
  }

  return {
    follow: (id, path, size) => {
      if (!isBroken) post({ kind: "follow", id, path, size })
    },
    digest: (id, path, size) => {
      if (isBroken) return hashHere(path, size)
      return new Promise((resolve, reject) => {
        const request = asked++
        waiting.set(request, { path, size, resolve, reject })
        post({ kind: "digest", id, path, size, request })
        worker?.ref()
      })
    },
    forget: (id) => send?.({ kind: "forget", id }),
    close: async () => {
      await worker?.terminate()
      doWithout()
    },
  }
}
