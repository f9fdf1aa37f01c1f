import type { IHasher } from "hash-wasm"

/** What a thread is asked to hash. */
export interface HashTask {
  readonly request: number
  /** What came before; null for nothing. */
  readonly state: Uint8Array | null
  readonly pieces: ReadonlyArray<Uint8Array>
}

/** Its answer. */
export interface HashAnswer {
  readonly request: number
  readonly state?: Uint8Array
  /** SHA-256 of all bytes, 64 lower-case hex digits. */
  readonly digest?: string
  readonly error?: string
}

/**
 * The whole program of a thread, but for what loads the library.
 *
 * Its source text is handed to the thread, so it must not refer to anything outside itself.
 */
export const runHashWorker = async (createSHA256: () => Promise<IHasher>): Promise<void> => {
  const port = process.getBuiltinModule("node:worker_threads").parentPort!
  const hasher = await createSHA256()

  const answer = ({ request, state, pieces }: HashTask): HashAnswer => {
    try {
      hasher.init()
      if (state !== null) hasher.load(state)
      for (const piece of pieces) hasher.update(piece)
      return { request, state: hasher.save(), digest: hasher.digest("hex") }
    } catch (cause) {
      return { request, error: String(cause) }
    }
  }
  port.on("message", (task: HashTask) => port.postMessage(answer(task)))
}
