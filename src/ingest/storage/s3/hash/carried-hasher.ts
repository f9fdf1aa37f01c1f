import type { Worker } from "node:worker_threads"
import { type HashAnswer, type HashTask, runHashWorker } from "./hash-worker.ts"

/** What was hashed so far, and what that is. */
export interface CarriedHash {
  /** 116 bytes. */
  readonly state: Uint8Array
  /** SHA-256 of the bytes, 64 lower-case hex digits. */
  readonly digest: string
}

/** SHA-256 whose state outlives its process. */
export interface CarriedHasher {
  /**
   * Adds bytes to those of a state, null for none. Pieces must stay unchanged until it has resolved.
   *
   * Fails: rejects for a state that is none of this version of the library.
   */
  readonly add: (state: Uint8Array | null, pieces: ReadonlyArray<Uint8Array>) => Promise<CarriedHash>
  readonly close: () => Promise<void>
}

/** Most threads: a store takes some hundred MiB a second, and each hashes as many. */
const mostThreads = 4

/** A thread, and what it has been asked. */
interface Thread {
  readonly worker: Worker
  readonly waiting: Map<
    number,
    { readonly resolve: (hash: CarriedHash) => void; readonly reject: (cause: unknown) => void }
  >
}

/**
 * Hashes by WebAssembly, in threads that are started when they are needed and do not keep the process running. Nothing is
 * loaded before the first call. Where threads cannot run (a bundler moved the library), it hashes in this one.
 *
 * @param load the library; tests give another place
 */
export const createCarriedHasher = (load = () => import("./sha256-wasm.ts")): CarriedHasher => {
  const threads: Array<Thread> = []
  let asked = 0
  let isClosed = false
  /** Why there are no threads. */
  let broken: Error | undefined
  let here: Promise<(task: Omit<HashTask, "request">) => CarriedHash> | undefined

  const hashHere = async (task: Omit<HashTask, "request">): Promise<CarriedHash> => {
    here ??= load().then(async ({ createSHA256 }) => {
      const hasher = await createSHA256()
      return ({ state, pieces }) => {
        hasher.init()
        if (state !== null) hasher.load(state)
        for (const piece of pieces) hasher.update(piece)
        return { state: hasher.save(), digest: hasher.digest("hex") }
      }
    })
    return (await here)(task)
  }

  const start = (url: string): Thread => {
    const { Worker } = process.getBuiltinModule("node:worker_threads")
    const program = `import(${JSON.stringify(url)}).then(({ createSHA256 }) => (${runHashWorker.toString()})(createSHA256))`
    const worker = new Worker(program, { eval: true, name: "sluice-carried-hash" })
    const thread: Thread = { worker, waiting: new Map() }
    worker.unref()
    worker.on("message", ({ request, state, digest, error }: HashAnswer) => {
      const asker = thread.waiting.get(request)
      thread.waiting.delete(request)
      if (thread.waiting.size === 0) worker.unref()
      if (state === undefined || digest === undefined) asker?.reject(new Error(error))
      else asker?.resolve({ state, digest })
    })
    const end = (cause: Error): void => {
      broken ??= cause
      for (const { reject } of thread.waiting.values()) reject(cause)
      thread.waiting.clear()
    }
    worker.on("error", end)
    worker.on("exit", () => end(new Error("the thread that hashes has ended")))
    threads.push(thread)
    return thread
  }

  const choose = (url: string): Thread => {
    const [idlest] = threads.toSorted((one, other) => one.waiting.size - other.waiting.size)
    const { availableParallelism } = process.getBuiltinModule("node:os")
    const isEnough = threads.length >= Math.min(mostThreads, Math.max(1, availableParallelism() - 1))
    return idlest !== undefined && (idlest.waiting.size === 0 || isEnough) ? idlest : start(url)
  }

  return {
    add: async (state, pieces) => {
      if (isClosed) throw new Error("The hasher is closed.")
      const { moduleUrl } = await load()
      if (broken !== undefined) return hashHere({ state, pieces })
      const { worker, waiting } = choose(moduleUrl)
      const hashed = new Promise<CarriedHash>((resolve, reject) => {
        const request = asked++
        waiting.set(request, { resolve, reject })
        worker.ref()
        // A thread has no origin. The pieces are copied: their memory is used again.
        // oxlint-disable-next-line unicorn/require-post-message-target-origin
        worker.postMessage({ request, state, pieces } satisfies HashTask)
      })
      return hashed.catch((cause: unknown) => {
        if (broken === undefined || isClosed) throw cause
        return hashHere({ state, pieces })
      })
    },
    close: async () => {
      isClosed = true
      await Promise.all(threads.map(({ worker }) => worker.terminate()))
    },
  }
}
