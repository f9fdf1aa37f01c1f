import type { Attempt } from "../../transfer/attempt.ts"
import { retry } from "../../transfer/retry.ts"
import { formatByteSize } from "../../protocol/byte-size.ts"
import { lookupMediaType, parseMediaType } from "../../protocol/files/media-type.ts"
import { UploadError } from "../../protocol/errors/upload-error.ts"
import { pickDetails, type UploadSource } from "../upload-source.ts"
import { decodeBody, readEncodings } from "./decode-body.ts"
import { fetchRemote, readHeaders, type RemoteReply } from "./fetch-remote.ts"
import type { FromUrlSettings, RemoteFile } from "./from-url-options.ts"
import { toSourceError } from "./remote-answer.ts"
import { createRemoteBody } from "./remote-body.ts"
import { readRemoteName } from "./remote-name.ts"
import { describeUrl, parseRemoteUrl } from "./remote-url.ts"
import { spool } from "./spool.ts"

/** How large a file of unknown size may grow on this machine's disk by default. */
const maxSpool = 1024 ** 3

/** What servers, buckets above all, say of a file whose type nobody has told them. */
const unspecific = /^(?:application|binary)\/octet-stream(?:;|$)/i

const readType = (headers: Headers): string => {
  const type = parseMediaType(headers.get("content-type") ?? "") ?? ""
  return unspecific.test(type) ? "" : type
}

type Content = Pick<UploadSource, "size" | "slice"> & { readonly close: () => Promise<void> }

/** The length of a file as its answer announces it; undefined when it does not. */
const readSize = ({ headers }: RemoteReply): number | undefined => {
  const length = headers.get("content-length") ?? ""
  return /^\d{1,15}$/.test(length) && readEncodings(headers).length === 0 ? Number(length) : undefined
}

const tooLarge = (url: URL, limit: number, size?: number): UploadError =>
  new UploadError({
    code: "FILE_TOO_LARGE",
    message: `${describeUrl(url)} has ${size === undefined ? "more" : `${formatByteSize(size)}, more`} than the ${formatByteSize(limit)} of \`maxFileSize\`.`,
  })

/** Streams a file whose size is known, and keeps any other on disk first: an upload is signed for its size. */
const openContent = async (
  reply: RemoteReply,
  ask: (headers: Readonly<Record<string, string>>) => Promise<RemoteReply>,
  maxFileSize: number | undefined,
): Promise<Content> => {
  const { url } = reply
  const size = readSize(reply)
  if (size !== undefined) {
    if (maxFileSize !== undefined && size > maxFileSize) throw tooLarge(url, maxFileSize, size)
    const body = createRemoteBody(reply, size, ask)
    const slice = (start: number) => (start >= size ? new Blob() : body.read(start))
    return { size, slice, close: async () => body.close() }
  }
  const { process } = globalThis as Partial<typeof globalThis>
  if (process?.getBuiltinModule?.("node:fs/promises") === undefined) {
    const message = `The server of ${describeUrl(url)} does not say how large the file is, and this runtime has no disk to keep it on until that is known. Fetch it in Node, Bun or Deno, or from a server that sends its content-length.`
    throw new UploadError({ code: "BAD_REQUEST", message })
  }
  const limit = maxFileSize ?? maxSpool
  const spooled = await spool(decodeBody(reply), (size) => {
    if (size > limit) throw tooLarge(url, limit)
  })
  const slice = (start: number) => (start >= spooled.size ? new Blob() : spooled.read(start))
  return { size: spooled.size, slice, close: spooled.close }
}

/**
 * Opens a file of another server as an upload source: requests it, checks the answer, and reads it while it is sent.
 *
 * Fails: rejects with an UploadError; FORBIDDEN for a host that must not be asked, BAD_REQUEST for an invalid URL or
 *        one whose server answers anything but 200, FILE_TOO_LARGE, NETWORK_ERROR, ABORTED.
 */
export const openRemoteFile = async (source: RemoteFile, settings: FromUrlSettings): Promise<UploadSource> => {
  const start = parseRemoteUrl(source.url)
  const secrets = readHeaders(source.headers, start)
  const ask = (headers: Readonly<Record<string, string>>) => fetchRemote(start, secrets, headers, settings)

  const open = async (): Promise<Attempt<UploadSource>> => {
    const reply = await ask({})
    const { url, status, headers } = reply
    try {
      if (status !== 200) {
        const message = `${describeUrl(url)} answered ${status}, not with a file. Check the URL, and whether it needs \`headers\`.`
        throw new UploadError({ code: "BAD_REQUEST", message })
      }
      const name = source.name || readRemoteName(url, headers)
      const type = source.type || readType(headers) || (await lookupMediaType(name))
      const content = await openContent(reply, ask, settings.maxFileSize)
      return { value: { ...content, name, type, ...pickDetails(source) } }
    } catch (error) {
      reply.close()
      throw error
    }
  }
  return retry(open, settings.retry, settings.signal).catch((cause: unknown) => {
    throw toSourceError(cause, start, settings.signal)
  })
}
