import type { IncomingMessage, ServerResponse } from "node:http"
import type { Readable } from "node:stream"
import { createChunkJoin } from "./chunk-join.ts"
import { createBodyMemory, noRoom } from "../../src/server-kit/body-memory.ts"
import type { NodeRequest, NodeResponse } from "./node-message.ts"
import { envName, limits, parseDuration, UploadError } from "../../src/protocol.ts"

/** The requests whose bodies are not all there, and why. */
const broken = new WeakMap<NodeRequest, "late" | "crowded">()

/** Apart from that of the handler, whose requests begin only when their bodies are there. */
const openShare = createBodyMemory()

/**
 * How long a body may take that is read before the route handler is called, ms: from the handler's option, which the
 * handler itself validates.
 */
const toTimeout = (option: number | string | undefined): number => {
  const given = option ?? (process.env[envName("bodyTimeout")] || undefined)
  const parsed = given === undefined ? undefined : parseDuration(given)
  return parsed?.ok ? parsed.value : limits.requestBodyTimeout
}

/**
 * Puts the bytes of a body where parsers leave them, for a framework that reads bodies before it calls handlers: as
 * they were sent, or as a hook has changed them. It reads no more than it takes to be too large, and no longer than
 * the handler's option `bodyTimeout` says. `toRequest` refuses a body that was not complete by then, and a large one for which
 * there was no room beside the others that are being read.
 */
export const keepBytes = async (
  raw: IncomingMessage,
  payload: Readable,
  bodyTimeout: number | string | undefined,
): Promise<void> => {
  // Not a list: a body that is cut into single bytes would cost a hundred times its size.
  const bytes = createChunkJoin()
  const share = openShare()
  let isLate = false
  const hold = (size: number): boolean => {
    const isHeld = share.hold(size)
    if (!isHeld) broken.set(raw, "crowded")
    return isHeld
  }
  const gather = async () => {
    for await (const chunk of payload.iterator({ destroyOnReturn: false })) {
      // A hook may have turned it into text.
      const length = isLate ? Infinity : bytes.add(typeof chunk === "string" ? Buffer.from(chunk) : chunk)
      if (length > limits.requestBody || !hold(length)) break
    }
  }
  let timer: ReturnType<typeof setTimeout> | undefined
  const timeout = new Promise<void>((resolve) => {
    timer = setTimeout(() => {
      broken.set(raw, "late")
      isLate = true
      resolve()
    }, toTimeout(bodyTimeout))
  })
  try {
    await Promise.race([gather(), timeout])
  } finally {
    clearTimeout(timer)
    share.giveBack()
  }
  // The rest is discarded, as Node does with unread bodies: a client that cannot send would never see an answer.
  raw.unpipe().resume()
  Object.assign(raw, { rawBody: bytes.take() })
}

/**
 * Refuses a request whose body did not arrive in time in {@link keepBytes}, and has its connection closed after the
 * answer; and one for whose body there was no room.
 *
 * Fails: throws UploadError, BAD_REQUEST with status 408; RATE_LIMITED.
 */
export const refuseBroken = (req: NodeRequest, target: NodeResponse | undefined): void => {
  const why = broken.get(req)
  if (why === undefined) return
  if (why === "crowded") {
    throw new UploadError({ code: "RATE_LIMITED", message: noRoom })
  }
  const res = target as ServerResponse | undefined
  if (res !== undefined) res.shouldKeepAlive = false
  throw new UploadError({
    code: "BAD_REQUEST",
    status: 408,
    message: "The request's body was not complete in time. Send it again.",
  })
}
