import type { Socket } from "node:net"
import type { ClamdAddress } from "../../schema/clamd-address.ts"
import { toOneLine } from "./one-line.ts"
import { type HeldFile, type Scanner, ScannerError, type ScanVerdict } from "./scanner.ts"

/** Bytes that are sent at a time. */
const pieceSize = 64 * 1024

/** Bytes of a file after which a clamd that hangs up has probably had enough of it; with fewer it is not well. */
const enough = 512 * 1024

/** Bytes of an answer; clamd's own are far shorter. */
const longestAnswer = 4096

/** Characters of the name of what was found. */
const longestName = 100

/** How long a connection may take to be made, ms. */
const connectTime = 10_000

/** Longest time that a timer can wait, ms. */
const longestTimer = 2 ** 31 - 1

/** Fails: throws {@link ScannerError}, where it is no verdict. */
const parseAnswer = (answer: string, isWhole: boolean): ScanVerdict => {
  const found = /^stream: ([^]+) FOUND$/.exec(answer)?.[1]
  if (found !== undefined) {
    const name = toOneLine(found, longestName) || "something without a name"
    return { kind: "found", name, reason: `The file was rejected: the scanner found ${name}.` }
  }
  if (answer !== "stream: OK") throw new ScannerError("refused", `It answers: ${toOneLine(answer, longestName)}`)
  // It cannot know yet.
  if (!isWhole) throw new ScannerError("refused", "It called the file clean before it had all of it.")
  return { kind: "clean" }
}

/** A conversation with clamd over one connection. */
interface Talk {
  /** What clamd answers. Fails: rejects with {@link ScannerError}, or with what `fail` was told. */
  readonly answer: Promise<string>
  /** Whether nothing is to be sent any more. */
  readonly isOver: () => boolean
  /** Whether clamd has all of the file. */
  readonly isWhole: () => boolean
  /** Resolves when the socket has taken all of them, or nothing is to be sent any more. */
  readonly write: (...parts: ReadonlyArray<Uint8Array | string>) => Promise<void>
  /** The end of the file. */
  readonly finish: (last: Uint8Array) => void
  readonly fail: (cause: unknown) => void
}

/** Fails as soon as the signal is aborted. */
const talkOver = (socket: Socket, timeout: number, signal: AbortSignal): Talk => {
  const answer = Promise.withResolvers<string>()
  let isConnected = false
  let isWhole = false
  let sent = 0
  let isOver = false
  /** Told when the socket has room again, and at the end. */
  let goOn = (): void => {}
  const chunks: Array<Uint8Array> = []
  let length = 0

  const end = (settle: () => void): void => {
    if (isOver) return
    isOver = true
    clearTimeout(whole)
    clearTimeout(connecting)
    signal.removeEventListener("abort", abort)
    settle()
    goOn()
  }
  const fail = (cause: unknown): void => end(() => answer.reject(cause))
  const abort = (): void => fail(signal.reason)
  const lose = (cause?: Error): void => {
    if (!isConnected) {
      return fail(new ScannerError("away", `There is no connection: ${cause?.message ?? "it was closed"}.`, cause))
    }
    // Where clamd has enough of a file, its answer can be lost: the socket fails by what was sent just then.
    const hadEnough = !isWhole && sent >= enough
    fail(
      hadEnough
        ? new ScannerError("hungUp", "It hung up before it had the whole file, as where that is too large for it.")
        : new ScannerError("silent", "It closed the connection without an answer.", cause),
    )
  }
  const seconds = (ms: number): string => `${Math.round(ms / 100) / 10} s`
  const whole = setTimeout(
    () => fail(new ScannerError("silent", `It did not answer within ${seconds(timeout)}.`)),
    Math.min(timeout, longestTimer),
  )
  const connecting = setTimeout(
    () => fail(new ScannerError("away", `There is no connection after ${seconds(Math.min(connectTime, timeout))}.`)),
    // Before the other one, where they are due together.
    Math.min(connectTime, timeout - 1),
  )

  socket.on("connect", () => {
    isConnected = true
    clearTimeout(connecting)
  })
  socket.on("data", (chunk: Uint8Array) => {
    const at = chunk.indexOf(0)
    chunks.push(at < 0 ? chunk : chunk.subarray(0, at))
    length += chunks.at(-1)!.length
    if (length > longestAnswer) return fail(new ScannerError("refused", "Its answer has no end."))
    if (at >= 0) end(() => answer.resolve(Buffer.concat(chunks).toString()))
  })
  socket.on("drain", () => goOn())
  socket.on("error", lose)
  socket.on("end", () => lose())
  socket.on("close", () => lose())
  if (signal.aborted) abort()
  else signal.addEventListener("abort", abort)

  return {
    answer: answer.promise,
    isOver: () => isOver,
    fail,
    isWhole: () => isWhole,
    write: async (...parts) => {
      if (isOver) return
      let hasRoom = true
      socket.cork()
      for (const part of parts) {
        hasRoom = socket.write(part)
        sent += part.length
      }
      socket.uncork()
      // One waiter at a time, and no promise that lives as long as the file.
      if (!hasRoom) await new Promise<void>((resolve) => (goOn = resolve))
    },
    finish: (last) => {
      if (isOver) return
      isWhole = true
      socket.write(last)
    },
  }
}

/** Sends a file in chunks, each with its length before it, and an empty one at the end. */
const sendStream = async (bytes: AsyncIterable<Uint8Array>, talk: Talk): Promise<void> => {
  const toLength = (length: number): Uint8Array => {
    const header = Buffer.alloc(4)
    header.writeUInt32BE(length)
    return header
  }
  /** An answer that comes early is read before clamd, which hangs up then, is sent more. */
  const listen = () => new Promise((resolve) => setImmediate(resolve))
  await talk.write("zINSTREAM\0")
  if (talk.isOver()) return
  for await (const chunk of bytes) {
    for (let at = 0; at < chunk.length; at += pieceSize) {
      await listen()
      if (talk.isOver()) return
      const piece = chunk.subarray(at, at + pieceSize)
      await talk.write(toLength(piece.length), piece)
    }
  }
  await listen()
  talk.finish(toLength(0))
}

/**
 * Asks a clamd of ClamAV, with one connection for each file (`INSTREAM`).
 *
 * @param shown   the address, as the operator wrote it
 * @param timeout how long it may take for one file, ms
 *
 * Source: clamd(8).
 */
export const createClamd = (
  address: ClamdAddress,
  shown: string,
  timeout: number,
): Scanner<Pick<HeldFile, "read">> => ({
  address: shown,
  help:
    "It stays held, and is tried again later. If it is too large for clamd, raise StreamMaxLength in clamd.conf; " +
    "or decide by releaseFiles or rejectFiles.",
  scan: async ({ read }, signal) => {
    const socket = process.getBuiltinModule("node:net").connect({ ...address, noDelay: true })
    const talk = talkOver(socket, timeout, signal)
    // It is not waited for: a store that hangs does not keep a scan from ending.
    sendStream(read(), talk).catch(talk.fail)
    try {
      return parseAnswer(await talk.answer, talk.isWhole())
    } finally {
      socket.destroy()
    }
  },
})
