import { UploadError } from "../../protocol/errors/upload-error.ts"
import type { RemoteReply } from "./fetch-remote.ts"
import { describeUrl } from "./remote-url.ts"

/** The encodings of a body, according to its headers; empty for none. */
export const readEncodings = (headers: Headers): ReadonlyArray<string> =>
  (headers.get("content-encoding") ?? "")
    .toLowerCase()
    .split(",")
    .map((encoding) => encoding.trim())
    .filter((encoding) => encoding !== "" && encoding !== "identity")

/**
 * The bytes of a body without its `content-encoding`: some servers encode even when asked not to.
 *
 * Fails: throws BAD_REQUEST for an unexpected encoding; the bytes reject with it when they are not encoded as
 *        announced.
 */
export const decodeBody = ({ url, headers, body, isDecoded }: RemoteReply): AsyncIterable<Uint8Array> => {
  const encodings = readEncodings(headers)
  const [encoding] = encodings
  if (isDecoded || encoding === undefined) return body
  const zlib = process.getBuiltinModule("node:zlib")
  const decoders = new Map([
    ["gzip", () => zlib.createGunzip()],
    ["x-gzip", () => zlib.createGunzip()],
    ["deflate", () => zlib.createInflate()],
    ["br", () => zlib.createBrotliDecompress()],
    ["zstd", () => zlib.createZstdDecompress()],
  ])
  const decoder = encodings.length === 1 ? decoders.get(encoding)?.() : undefined
  if (decoder === undefined) {
    const message = `${describeUrl(url)} comes encoded, which Sluice did not ask for and cannot undo (${encodings.join(", ").slice(0, 40)}).`
    throw new UploadError({ code: "BAD_REQUEST", message })
  }
  const decoded = async function* () {
    try {
      yield* process.getBuiltinModule("node:stream").pipeline(body, decoder, () => {}) as AsyncIterable<Uint8Array>
    } catch (cause) {
      if (UploadError.is(cause)) throw cause
      const message = `What ${describeUrl(url)} sends is not the ${encoding} it says it is.`
      throw new UploadError({ code: "BAD_REQUEST", message, cause })
    }
  }
  return decoded()
}
