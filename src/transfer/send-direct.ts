import type { DirectAnswer, DirectQuestion } from "../protocol/messages.ts"
import type { Fetch, fetchReply, networkError, readReply, Reply } from "./reply.ts"
import type { Attempt } from "./attempt.ts"
import type { BytesRequest } from "./bytes-request.ts"
import type { UploadableFile } from "./uploadable-file.ts"

/** Parts of a file that are sent at the same time. */
const partsAtOnce = 4

/** How often in a row nothing of a file may get past the ingest before it goes through it. */
const vainAtMost = 2

/** What is needed of a transfer. */
interface Transfer {
  readonly file: UploadableFile
  readonly fetch: Fetch
  readonly trace: object | undefined
  readonly signal: AbortSignal
  readonly onProgress: (loaded: number) => void
  readonly touch: BytesRequest["touch"]
  /** As `retry` gives it to an attempt. */
  readonly forget: (failures: number) => void
}

/** How often in a row nothing got past the ingest: a page learns no more of a bucket that refuses it than that. */
const vain = new WeakMap<Transfer, number>()

type Part = DirectQuestion["parts"][number]

/** The outcome of an attempt that has failed. */
type Refusal = Exclude<Attempt<unknown>, { readonly value: unknown }>

/** The most parts of a file. Source: docs/protocol.md §10, direct. */
const partsAtMost = 10_000

/** Whether these are runs of numbers, in order: each is looked at once. */
const areRuns = (stored: unknown): boolean => {
  let last = 0
  return (
    Array.isArray(stored) &&
    stored.length <= partsAtMost &&
    stored.every((run: unknown) => {
      if (!Array.isArray(run) || !run.every(Number.isSafeInteger) || !(run[0] > last && run[1] >= run[0])) return false
      last = run[1]
      return true
    })
  )
}

/** @param size of the file, in bytes */
const isAnswer = (json: unknown, size: number): json is DirectAnswer => {
  const { transport, ...answer } = json as Partial<Extract<DirectAnswer, { readonly transport: "direct" }>>
  const { partSize = 0, stored, uploads } = answer
  return (
    (transport as string) === "ingest" ||
    (transport === "direct" &&
      Number.isSafeInteger(partSize) &&
      partSize > 0 &&
      size <= partSize * partsAtMost &&
      areRuns(stored) &&
      Array.isArray(uploads) &&
      uploads.every((upload) => typeof upload?.url === "string"))
  )
}

const toHex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")

/**
 * Sends what is missing of a file past the ingest, in parts, to where the ingest says.
 *
 * @param url of the upload
 * @returns true: the bucket has all of it; false: the ingest takes the bytes itself; or why some of it is missing
 *
 * Fails:  rejects as {@link fetchReply} does.
 * Source: docs/protocol.md §10, direct.
 */
export const sendDirect = async (
  transfer: Transfer,
  url: string,
  // Handed in, and not imported: every page would load one module more.
  send: (fetch: Fetch, request: BytesRequest) => Promise<Reply>,
  sendForReply: typeof fetchReply,
  read: typeof readReply,
  toNetworkError: typeof networkError,
): Promise<Attempt<boolean>> => {
  const { file, fetch, trace, signal, onProgress, forget } = transfer
  const toRefusal = (cause?: unknown, message?: string): Refusal => {
    const error = toNetworkError(cause)
    if (message) error.message = message
    return { error }
  }
  const whole = await file.slice(0)
  // What is no Blob cannot be read in any order, and pages without TLS have no SHA-256.
  if (!("arrayBuffer" in whole) || !globalThis.crypto?.subtle || (vain.get(transfer) ?? 0) >= vainAtMost) {
    return { value: false }
  }
  const blob = whole as Blob

  const ask = async (parts: ReadonlyArray<Part>): Promise<Attempt<DirectAnswer>> =>
    read(
      await sendForReply(fetch, url, {
        method: "POST",
        body: JSON.stringify({ parts }),
        headers: { ...trace },
        signal,
      }),
      (json) => (isAnswer(json, file.size) ? json : undefined),
    )
  const first = await ask([])
  if ("error" in first) return first.error.code === "METHOD_NOT_ALLOWED" ? { value: false } : first
  if (first.value.transport === "ingest") return { value: false }
  const { partSize, stored } = first.value

  const missing: Array<number> = []
  let run = 0
  for (let number = 1; (number - 1) * partSize < file.size; number++) {
    while (run < stored.length && stored[run]![1] < number) run++
    if (run === stored.length || stored[run]![0] > number) missing.push(number)
  }
  const partOf = (number: number): Blob => blob.slice((number - 1) * partSize, number * partSize)

  /** Why the file is not whole yet; what is under way is sent to its end, and nothing more begins. */
  let failure: Refusal | undefined
  const loaded = new Map<number, number>()
  let there = file.size
  for (const number of missing) there -= partOf(number).size
  /** Whether whoever sends parts tells how far they are. */
  let isTold = true
  const touch = (times = 1) => transfer.touch(isTold ? times : Infinity)
  const report = (number: number, size: number): void => {
    // Behind its last byte there are buffers on the way, and the bucket's own work.
    touch(size < partOf(number).size ? 1 : 6)
    loaded.set(number, size)
    let sum = there
    for (const each of loaded.values()) sum += each
    onProgress(sum)
  }

  /** Parts that wait to be asked for: one request at a time, because a newer one of a file ends those before it. */
  let waiting: Array<Part & { readonly tell: (answer: Attempt<DirectAnswer>) => void }> = []
  let isAsking = false
  const askInTurn = async (): Promise<void> => {
    isAsking = true
    while (waiting.length > 0) {
      const asked = waiting
      waiting = []
      const answer = await ask(asked.map(({ number, sha256 }) => ({ number, sha256 }))).catch((cause: unknown) =>
        toRefusal(cause),
      )
      for (const { tell } of asked) tell(answer)
    }
    isAsking = false
  }

  const sendPart = async (number: number): Promise<Refusal | undefined> => {
    const body = partOf(number)
    const sha256 = toHex(await crypto.subtle.digest("SHA-256", await body.arrayBuffer()))
    signal.throwIfAborted()
    const answer = await new Promise<Attempt<DirectAnswer>>((tell) => {
      waiting.push({ number, sha256, tell })
      if (!isAsking) void askInTurn()
    })
    if ("error" in answer) return answer
    const { value } = answer
    const upload = value.transport === "direct" && value.uploads.find((each) => each.number === number)
    if (!upload) return toRefusal()
    const { status } = await send(fetch, {
      url: upload.url,
      headers: upload.headers,
      body,
      size: body.size,
      isPlain: false,
      signal,
      touch: (times = 1) => {
        isTold &&= times < Infinity
        touch()
      },
      onProgress: (size) => report(number, size),
    })
    if (status === 200) return undefined
    return toRefusal(undefined, `The bucket of the ingest answered ${status} to a part of the file.`)
  }

  let isVain = true
  const sendNext = async (): Promise<void> => {
    for (let number = missing.shift(); number && !failure; number = missing.shift()) {
      const refusal = await sendPart(number).catch((cause: unknown) => toRefusal(cause))
      if (refusal) failure ??= refusal
      else {
        isVain = false
        report(number, partOf(number).size)
      }
    }
  }
  await Promise.all(Array.from({ length: partsAtOnce }, sendNext))
  if (!failure) return { value: true }
  const inVain = isVain && !signal.aborted ? (vain.get(transfer) ?? 0) + 1 : 0
  vain.set(transfer, inVain)
  if (inVain === vainAtMost) {
    console.error(
      "Sluice: the bucket takes nothing from here, so the file goes through the ingest. Its rule of CORS has to allow PUT, and a policy of the page has to name it: node_modules/sluice/docs/bucket.md#pages-send-files-straight-to-it",
    )
  }
  if (!isVain) forget(-1)
  return failure
}
