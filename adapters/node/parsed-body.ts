import { names, UploadError } from "../../src/protocol.ts"
import type { NodeRequest } from "./node-message.ts"

/** Properties that body parsers leave behind. */
interface Parsed {
  readonly body?: unknown
  readonly rawBody?: unknown
}

const encoder = new TextEncoder()

const toBytes = (value: unknown): Uint8Array<ArrayBuffer> | undefined =>
  value instanceof Uint8Array
    ? (value as Uint8Array<ArrayBuffer>)
    : typeof value === "string"
      ? encoder.encode(value)
      : undefined

const refuse = (why: string): never => {
  throw new UploadError({
    code: "INVALID_CONFIG",
    message: `A body parser read this request before Sluice could${why}. Mount Sluice before the parser (\`express.json()\` or the like), or let the parser keep the raw bytes as \`req.rawBody\`.`,
  })
}

/** Whether other code has already read the body. */
export const isBodyRead = (req: NodeRequest): boolean => req.readableDidRead || req.readableEnded

/**
 * The body of a request that a parser has already read.
 *
 * Returns the raw bytes where the parser kept them: `req.rawBody`, or `req.body` of `express.raw()` and
 * `express.text()`. A parsed JSON body is serialized again, except for a callback, whose signature covers exactly the
 * bytes that were sent.
 *
 * Fails: throws UploadError, code INVALID_CONFIG; the message names the fix. BAD_REQUEST for a value that cannot be
 *        serialized.
 */
export const restoreBody = (req: NodeRequest): Uint8Array<ArrayBuffer> => {
  const { body, rawBody } = req as Parsed
  const bytes = toBytes(rawBody) ?? toBytes(body)
  if (bytes !== undefined) return bytes
  if (req.headers[names.header.hook] !== undefined) return refuse(", and a callback's signature covers its raw bytes")
  const isJson = /^[^;]*[/+]json\s*(;|$)/i.test(req.headers["content-type"] ?? "")
  if (body === undefined || !isJson) return refuse(" and left nothing of its body")
  try {
    return encoder.encode(JSON.stringify(body))
  } catch (cause) {
    // Parsers accept nested arrays that are too deep to be serialized.
    throw new UploadError({ code: "BAD_REQUEST", message: "The request's body is nested too deep.", cause })
  }
}
