import { Rejected } from "../http/rejected.ts"
import { formatByteSize } from "../protocol/byte-size.ts"
import { names } from "../protocol/names.ts"
import type { ProblemCode } from "../protocol/problem.ts"
import type { UploadGrant } from "../protocol/signed-url.ts"
import { toBlobName } from "./blob-name.ts"
import type { UploadRecord } from "./catalog.ts"
import { type Content, createContent } from "./content.ts"
import { checkDigest, parseSha256Field } from "./digest-fields.ts"
import { type Service, createEventId } from "./service.ts"
import { sinceNow, sinceStart } from "./server-data.ts"
import { readUploadBody } from "./upload-body.ts"
import { superseded, type Writer } from "./writers.ts"

/** A PUT whose URL was proven. */
export interface Transfer {
  readonly request: Request
  readonly grant: UploadGrant
  /** Where the body says it begins. */
  readonly start: number
  readonly origin: string
}

/** A file that is `Uploaded`, and what of its callback is history. */
export interface Transferred {
  readonly upload: UploadRecord
  readonly since: ReturnType<typeof sinceNow>
}

/** Codes that say the content itself is wrong: the upload ends `Failed`, nothing of it is kept. */
const fatal: ReadonlySet<ProblemCode> = new Set<ProblemCode>(["CONTENT_MISMATCH", "DIGEST_MISMATCH"])

const goOnAt = (offset: number, detail: string, cause?: unknown) =>
  new Rejected({ code: "RANGE_MISMATCH", detail, headers: { [names.header.rangeStart]: String(offset) }, cause })

const tooMany = (size: number) =>
  new Rejected({
    code: "SIZE_MISMATCH",
    detail: `The URL was signed for ${formatByteSize(size)}, but more bytes came. Ask the app for a URL of the right size.`,
  })

const taken = () =>
  new Rejected({
    code: "BAD_REQUEST",
    status: 409,
    detail: "Another file is stored under this key. Delete it first, or upload under a key of its own.",
  })

/** The content as far as it is stored: kept from the request before, else read again. */
const recall = async (
  service: Service,
  { type, size }: UploadGrant,
  blob: string,
  offset: number,
): Promise<Content> => {
  const kept = service.contents.take(blob, offset)
  if (kept !== undefined) return kept
  const content = createContent(type, size)
  if (offset === 0) return content
  for await (const chunk of await service.store.read(blob, { start: 0, end: offset - 1 })) {
    const checked = content.update(chunk)
    if (checked !== undefined) await checked
  }
  return content
}

/** Counts and reads the body on its way to the store. */
async function* inspect(
  body: AsyncIterable<Uint8Array>,
  content: Content,
  size: number,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of body) {
    if (content.length() + chunk.length > size) throw tooMany(size)
    const checked = content.update(chunk)
    if (checked !== undefined) await checked
    yield chunk
  }
}

/** Stores the rest of a file under the epoch that was granted; resolves when every byte is durable, with the hash. */
const store = async (
  service: Service,
  { request, grant, start }: Transfer,
  writer: Writer,
  { blob, epoch, offset }: { readonly blob: string; readonly epoch: number; readonly offset: number },
): Promise<string> => {
  const { size } = grant
  if (start !== offset) {
    throw goOnAt(offset, `The body begins at byte ${start}, but ${offset} bytes are stored. Go on from there.`)
  }
  const contentDigest = parseSha256Field(request.headers, "content-digest")
  const reprDigest = parseSha256Field(request.headers, "repr-digest")
  const wire = contentDigest === undefined ? undefined : process.getBuiltinModule("node:crypto").createHash("sha256")
  const content = await recall(service, grant, blob, offset)
  const chunks = readUploadBody(request, writer.signal, wire === undefined ? undefined : (chunk) => wire.update(chunk))
  const body = inspect(chunks, content, size)

  let stored = offset
  if (offset === size && size > 0) for await (const chunk of body) stored += chunk.length
  else {
    const appended = await service.store.append(blob, { epoch, offset, body, expected: size - offset })
    stored = appended.offset
    if (content.length() === stored && stored < size) service.contents.keep(blob, content)
    if (appended.brokenOff !== undefined) {
      const { cause } = appended.brokenOff
      if (cause instanceof Rejected) throw cause
      if (writer.signal.aborted) throw superseded()
      throw goOnAt(stored, `The body broke off; ${stored} of ${size} bytes are stored. Go on from there.`, cause)
    }
  }
  if (wire !== undefined) checkDigest("content-digest", contentDigest, wire.digest("hex"))
  if (stored < size) {
    throw goOnAt(stored, `The body ended early; ${stored} of ${size} bytes are stored. Go on from there.`)
  }
  const fileHash = content.digest()
  checkDigest("repr-digest", reprDigest, fileHash)
  await service.store.finish(blob, { epoch, size })
  return fileHash
}

/** Ends an upload whose content is refused: the app is told, the bytes go. */
const fail = async (service: Service, key: string, epoch: number, id: number, reason: Rejected): Promise<void> => {
  const failure = { code: reason.code, message: reason.detail }
  const now = service.now()
  if (!(await service.catalog.fail({ key, epoch, failure, now, eventId: createEventId() }))) return
  service.dispatcher.wake()
  service.devStreams.wake()
  await service.store.remove(toBlobName({ key, id }))
  await service.catalog.reclaimed({ id, key })
}

const commit = async (service: Service, key: string, epoch: number, fileHash: string): Promise<UploadRecord> => {
  const now = service.now()
  const claimedUntil = service.dispatcher.claimUntil(now)
  const committed = await service.catalog.commit({ key, epoch, fileHash, now, eventId: createEventId(), claimedUntil })
  if (committed.kind === "fenced") throw superseded()
  const { upload, due } = committed
  if (due !== null) service.dispatcher.send(due)
  else if (upload.registration?.isDev === true) service.devStreams.wake()
  else if (upload.delivery !== null) service.dispatcher.wake()
  return upload
}

/**
 * Takes a body in: one writer, the right offset, every byte durable, then the commit that owes the app its callback.
 *
 * A key that is finished already gives its file again, whatever the body.
 *
 * Fails: rejects with `Rejected`; LOCKED, RANGE_MISMATCH, SIZE_MISMATCH, CONTENT_MISMATCH, DIGEST_MISMATCH, BAD_REQUEST.
 */
export const transfer = async (service: Service, transfer: Transfer): Promise<Transferred> => {
  const { grant, origin } = transfer
  const { key } = grant
  const writer = await service.writers.take(key)
  try {
    const begun = await service.catalog.begin({ grant, origin, now: service.now() })
    if (begun.kind === "finished") return { upload: begun.upload, since: sinceNow(begun.upload) }
    if (begun.kind === "failed") throw new Rejected({ code: begun.failure.code, detail: begun.failure.message })
    if (begun.kind === "taken") throw taken()
    const { epoch, id } = begun
    const blob = toBlobName({ key, id })
    const offset = begun.isNew ? 0 : (await service.store.claim(blob, epoch)).size
    try {
      const fileHash = await store(service, transfer, writer, { blob, epoch, offset })
      return { upload: await commit(service, key, epoch, fileHash), since: sinceStart }
    } catch (cause) {
      if (cause instanceof Rejected && fatal.has(cause.code)) await fail(service, key, epoch, id, cause)
      throw cause
    }
  } finally {
    writer.letGo()
  }
}
