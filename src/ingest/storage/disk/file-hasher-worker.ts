import type { Hash } from "node:crypto"

/** The messages to the worker. */
export type HashTask =
  | { readonly kind: "follow"; readonly id: string; readonly path: string; readonly size: number }
  | {
      readonly kind: "digest"
      readonly id: string
      readonly path: string
      readonly size: number
      readonly request: number
    }
  | { readonly kind: "forget"; readonly id: string }

/** Its answer to `digest`. */
export interface HashAnswer {
  readonly request: number
  readonly digest?: string
  readonly error?: { readonly message: string; readonly code?: string | undefined }
}

/**
 * The whole program of a worker thread: it hashes files as they grow, a MiB of each in turn, so that none waits for a
 * large one.
 *
 * Its source text is handed to the thread, so it must not refer to anything outside itself.
 */
export const runHashWorker = (): void => {
  interface Followed {
    readonly hash: Hash
    path: string
    /** Bytes hashed. */
    position: number
    /** Bytes that can be read. */
    size: number
    request?: number
  }
  const { parentPort, receiveMessageOnPort } = process.getBuiltinModule("node:worker_threads")
  const { createHash } = process.getBuiltinModule("node:crypto")
  const { closeSync, openSync, readSync } = process.getBuiltinModule("node:fs")
  const port = parentPort!
  const buffer = Buffer.allocUnsafeSlow(1024 * 1024)
  /** Unfinished files, those touched last at the end; those at the front are dropped first. */
  const followed = new Map<string, Followed>()
  const capacity = 10_000

  const answer = (message: HashAnswer): void => port.postMessage(message)

  const take = (task: HashTask): void => {
    const known = followed.get(task.id)
    followed.delete(task.id)
    if (task.kind === "forget") return
    // A digest of fewer bytes than were hashed (the end of the file was cut off) has to begin anew.
    const isUsable = known !== undefined && known.position <= task.size
    const file: Followed = isUsable ? known : { hash: createHash("sha256"), path: "", position: 0, size: 0 }
    file.path = task.path
    file.size = task.size
    if (task.kind === "digest") file.request = task.request
    followed.set(task.id, file)
    if (followed.size > capacity) {
      const oldest = followed.entries().next().value!
      if (oldest[1].request === undefined) followed.delete(oldest[0])
    }
  }

  /** Hashes the next piece; true when there may be more. */
  const advance = (id: string, file: Followed): boolean => {
    try {
      if (file.position < file.size) {
        // Opened each time: thousands of slow uploads would otherwise hold as many descriptors.
        const descriptor = openSync(file.path, "r")
        try {
          const wanted = Math.min(buffer.length, file.size - file.position)
          const length = readSync(descriptor, buffer, 0, wanted, file.position)
          if (length === 0) throw new Error(`The file ends at ${file.position}, before ${file.size}.`)
          file.hash.update(buffer.subarray(0, length))
          file.position += length
        } finally {
          closeSync(descriptor)
        }
      }
    } catch (cause) {
      // A file that is followed may be renamed or removed at any time; only a caller that asks for a digest is told.
      const { request } = file
      file.size = file.position
      if (request !== undefined) {
        followed.delete(id)
        answer({ request, error: { message: String(cause), code: (cause as { code?: string }).code } })
      }
      return false
    }
    if (file.position < file.size) return true
    if (file.request !== undefined) {
      followed.delete(id)
      answer({ request: file.request, digest: file.hash.digest("hex") })
    }
    return false
  }

  port.on("message", (first: HashTask) => {
    let busy = new Set<string>()
    const accept = (task: HashTask) => {
      take(task)
      if (task.kind !== "forget") busy.add(task.id)
    }
    accept(first)
    while (busy.size > 0) {
      const round = busy
      busy = new Set()
      for (const id of round) {
        const file = followed.get(id)
        if (file !== undefined && advance(id, file)) busy.add(id)
      }
      for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port)) {
        accept(next.message as HashTask)
      }
    }
  })
}
