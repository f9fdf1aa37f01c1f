import { make as createMultipartParser } from "multipasta"
import type { Incoming } from "../../http/incoming.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { isDisposable } from "../../protocol/disposable-stream.ts"
import type { Intake } from "./minimum-rate.ts"

/** Room for framing and other parts before or after the part that counts, in bytes. */
export const multipartOverhead = 64 * 1024

/** The body ended before the multipart framing did: the connection broke somewhere upstream. */
export class BodyBrokeOff extends Error {
  override readonly name = "BodyBrokeOff"
}

const malformed = (detail: string) => new Rejected({ code: "BAD_REQUEST", detail })

/** Finds the part `file` in the chunks of a multipart body; returns its bytes as slices of them. */
const createFilePart = (contentType: string) => {
  let bytes: Array<Uint8Array> = []
  let state: "before" | "inside" | "after" = "before"
  let problem: string | undefined
  let outside = 0
  const parser = createMultipartParser({
    headers: { "content-type": contentType },
    // Every part is streamed, so that the parser never gathers one.
    isFile: () => true,
    maxParts: 100,
    onField: () => {},
    onFile: (info) => {
      if (info.name !== "file" || state !== "before") return () => {}
      state = "inside"
      return (chunk) => {
        if (chunk === null) state = "after"
        else bytes.push(chunk)
      }
    },
    onError: (error) => {
      if (state !== "after") problem ??= error._tag
    },
    onDone: () => {},
  })
  return {
    /** The bytes of the part in this chunk. Fails: throws `Rejected`. */
    push: (chunk: Uint8Array): ReadonlyArray<Uint8Array> => {
      if (state !== "after") {
        try {
          parser.write(chunk)
        } catch (cause) {
          problem ??= String(cause)
        }
      }
      if (problem !== undefined) throw malformed(`The multipart body cannot be read: ${problem}.`)
      const found = bytes
      bytes = []
      if (found.length === 0) outside += chunk.length
      if (outside > 2 * multipartOverhead) {
        throw malformed(`The multipart body holds more than the one part "file".`)
      }
      return found
    },
    /** Fails: throws `Rejected`, or {@link BodyBrokeOff}. */
    end: (): void => {
      // A delimiter at the very end is only seen here; bytes that this call returns belong to a part that broke off.
      if (state !== "after") parser.end()
      if (state === "before") throw malformed(`The multipart body has no part named "file".`)
      if (state === "inside") throw new BodyBrokeOff("The body ended inside its part.")
    },
  }
}

/** Whether the file is a part of the body. */
export const isForm = (request: Incoming): boolean =>
  /^multipart\/form-data\b/i.test(request.headers.get("content-type") ?? "")

/** Whether the chunks of {@link readUploadBody} may be freed after use; the form parser keeps parts of them. */
export const hasDisposableBody = (request: Incoming): boolean => isDisposable(request.body) && !isForm(request)

/** How to read a body. */
export interface BodyReading {
  /** Stops the reading; the generator then throws its reason. */
  readonly signal: AbortSignal
  /** Watches the progress of the body, until the returned function is called. */
  readonly watch?: (intake: Intake) => () => void
  /** Called with every chunk of the body as it was sent, framing included, before its bytes are passed on; it is awaited. */
  readonly onChunk?: (chunk: Uint8Array) => void | Promise<void>
}

/**
 * The file's bytes in the body of a PUT, as they arrive: the part `file` of a form, or everything.
 *
 * Pulls from the socket only on demand and never gathers. The parser is `multipasta`: linear on hostile bodies.
 *
 * Fails: throws `Rejected` BAD_REQUEST on malformed forms, {@link BodyBrokeOff} on truncated ones, and what the
 *        stream itself fails with.
 */
export async function* readUploadBody(
  request: Incoming,
  { signal, watch, onChunk }: BodyReading,
): AsyncGenerator<Uint8Array, void> {
  const part = isForm(request) ? createFilePart(request.headers.get("content-type")!) : undefined
  const reader = request.body?.getReader()
  const stop = () => void reader?.cancel(signal.reason).catch(() => {})
  signal.addEventListener("abort", stop, { once: true })
  const intake: Intake = { isWaiting: false, received: 0 }
  const unwatch = watch?.(intake)
  let isComplete = false
  try {
    for (;;) {
      signal.throwIfAborted()
      intake.isWaiting = true
      const next = await reader?.read()
      intake.isWaiting = false
      signal.throwIfAborted()
      if (next === undefined || next.done) break
      intake.received += next.value.length
      const seen = onChunk?.(next.value)
      if (seen !== undefined) await seen
      if (part === undefined) yield next.value
      else yield* part.push(next.value)
    }
    isComplete = true
    part?.end()
  } finally {
    unwatch?.()
    signal.removeEventListener("abort", stop)
    if (!isComplete) stop()
  }
}
