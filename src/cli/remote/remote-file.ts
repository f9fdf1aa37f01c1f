import { parse as parseDisposition } from "content-disposition"
import { isKeyOf, parseProblem, UploadError } from "../../protocol.ts"
import type { AppConnection } from "./app-connection.ts"
import type { GetOptions } from "./get-options.ts"

/** What an answer of the ingest says of a file. */
export interface RemoteVersion {
  /** Its entity tag, strong, in quotes. */
  readonly etag: string
  /** Bytes of the whole file. */
  readonly size: number
  /** SHA-256 of the whole file, 64 hex digits; undefined where the ingest does not say it. */
  readonly sha256: string | undefined
  /** As it is stored: chosen by whoever has uploaded it. */
  readonly name: string
}

/** A file, or the rest of it. */
export interface RemoteContent {
  readonly version: RemoteVersion
  /** Where the bytes begin: where they were asked for, or 0 because the file is another one now. */
  readonly start: number
  readonly body: AsyncIterable<Uint8Array>
}

/** An answer that only something else than an ingest gives. */
const strange = (url: string, what: string): UploadError =>
  new UploadError({
    code: "INVALID_CONFIG",
    message: `The answer of ${new URL(url).origin} is none of a Sluice ingest: ${what}. Is there a proxy in between that changes it?`,
  })

const readName = (header: string | null): string => {
  try {
    return parseDisposition(header ?? "").parameters["filename"] ?? ""
  } catch {
    return ""
  }
}

/** Reads `repr-digest`. Source: RFC 9530 §3. */
const readSha256 = (header: string | null): string | undefined => {
  const base64 = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):/.exec(header ?? "")?.[1]
  return base64 === undefined ? undefined : Buffer.from(base64, "base64").toString("hex")
}

/** Fails: throws an UploadError where it is not the answer of an ingest. */
const readVersion = (url: string, { status, headers }: Response): RemoteVersion & { readonly start: number } => {
  const etag = headers.get("etag") ?? ""
  if (!/^"[\x21\x23-\x7e]{1,200}"$/.test(etag)) throw strange(url, "it has no strong ETag")
  const range = /^bytes (\d{1,15})-\d{1,15}\/(\d{1,15})$/.exec(headers.get("content-range") ?? "")
  const length = /^\d{1,15}$/.exec(headers.get("content-length") ?? "")?.[0]
  const size = status === 206 ? range?.[2] : length
  if (size === undefined) throw strange(url, "it does not say how long the file is")
  return {
    etag,
    size: Number(size),
    sha256: readSha256(headers.get("repr-digest")),
    name: readName(headers.get("content-disposition")),
    start: status === 206 ? Number(range![1]) : 0,
  }
}

/** The most of an error's text that is read, in bytes. */
const longestProblem = 64 * 1024

const readProblem = async (response: Response, url: string): Promise<UploadError> => {
  const parts: Array<Uint8Array> = []
  let size = 0
  for await (const part of response.body ?? []) {
    parts.push(part)
    if ((size += part.length) > longestProblem) break
  }
  return parseProblem(response.status, Buffer.concat(parts).toString(), "ingest", url)
}

/**
 * Asks for a URL that reads a file: by its key where it is one of the app's, else by its custom id.
 *
 * Fails: rejects with an UploadError, NOT_FOUND where there is no such file.
 */
export const findFile = async (
  { api, encodedAppId }: AppConnection,
  id: string,
  { held }: Pick<GetOptions, "held">,
  signal: AbortSignal,
): Promise<{ readonly key: string; readonly url: string }> => {
  const ask = async (keyType: "fileKey" | "customId") => {
    const url = await api.getSignedURL(id, { keyType, signal, held: keyType === "fileKey" && held })
    return { url, key: URL.parse(url)?.pathname.split("/").at(-1) ?? id }
  }
  if (!/^[\w-]+$/.test(id) || !isKeyOf(id, encodedAppId)) return ask("customId")
  try {
    return await ask("fileKey")
  } catch (error) {
    if (!UploadError.is(error) || error.code !== "NOT_FOUND") throw error
    return ask("customId")
  }
}

/** Keeps the Response until its body has been read: Node cancels the body of one that was collected. */
const readBody = async function* (response: Response): AsyncGenerator<Uint8Array, void> {
  if (response.body !== null) yield* response.body
}

/**
 * Reads a file from an offset on, if it is still the one with this tag, else from its start.
 *
 * Fails:  rejects with an UploadError: NETWORK_ERROR, the ingest's problem, INVALID_CONFIG where no ingest answers.
 * Source: docs/protocol.md §10.
 */
export const readFile = async (
  url: string,
  method: "GET" | "HEAD",
  { offset, etag }: { readonly offset: number; readonly etag?: string },
  signal: AbortSignal,
): Promise<RemoteContent> => {
  const condition = offset > 0 && { range: `bytes=${offset}-`, ...(etag !== undefined && { "if-range": etag }) }
  const headers = { "accept-encoding": "identity", "want-repr-digest": "sha-256=10", ...condition }
  const response = await fetch(url, { method, headers, redirect: "manual", signal }).catch((cause: unknown) => {
    const message = `${new URL(url).origin} cannot be reached, or the connection broke.`
    throw new UploadError({ code: "NETWORK_ERROR", message, cause })
  })
  const { status } = response
  if (status >= 300 && status < 400) throw strange(url, "it is a redirect")
  if (status !== 200 && status !== 206) throw await readProblem(response, url)
  const { start, ...version } = readVersion(url, response)
  if (status === 206 && start !== offset) throw strange(url, "it is another range than was asked for")
  return { version, start, body: readBody(response) }
}
