import { Rejected } from "../http/rejected.ts"
import type { ProblemCode } from "../protocol/problem.ts"
import type { UploadGrant } from "../protocol/signed-url.ts"
import { toBlobName } from "./blob-name.ts"
import type { UploadRecord } from "./catalog.ts"
import { commitUpload, commitWhole, failUpload } from "./end-upload.ts"
import { type ReadAhead, readAhead } from "./incoming.ts"
import type { Service } from "./service.ts"
import { sinceNow, sinceStart } from "./server-data.ts"
import { openBody, readDigests, readPrefix, storeBody } from "./store-body.ts"

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

const taken = () =>
  new Rejected({
    code: "BAD_REQUEST",
    status: 409,
    detail: "Another file is stored under this key. Delete it first, or upload under a key of its own.",
  })

/** Whether a body is small enough for {@link commitWhole}. */
const mayBeWhole = ({ catalog }: Service, { grant, start }: Transfer): boolean =>
  start === 0 && grant.size <= catalog.abilities.largestContent

/**
 * Takes a body in: one writer, the right offset, every byte durable, then the commit that owes the app its callback.
 *
 * A key that is finished already gives its file again, whatever the body.
 *
 * Fails: rejects with `Rejected`; LOCKED, RANGE_MISMATCH, SIZE_MISMATCH, CONTENT_MISMATCH, DIGEST_MISMATCH, BAD_REQUEST.
 */
export const transfer = async (service: Service, transfer: Transfer): Promise<Transferred> => {
  const { request, grant, origin, start } = transfer
  const { key, size } = grant
  const digests = readDigests(request)
  const writer = await service.writers.take(key)
  try {
    let ahead: ReadAhead | undefined
    if (mayBeWhole(service, transfer)) {
      ahead = await readAhead(openBody(transfer, writer, digests, new Uint8Array()), size)
      const upload = ahead.whole && (await commitWhole(service, transfer, digests, ahead.whole))
      if (upload !== undefined) return { upload, since: sinceStart }
    }
    const begun = await service.catalog.begin({ grant, origin, now: service.now() })
    if (begun.kind === "finished") return { upload: begun.upload, since: sinceNow(begun.upload) }
    if (begun.kind === "failed") throw new Rejected({ code: begun.failure.code, detail: begun.failure.message })
    if (begun.kind === "taken") throw taken()
    const { epoch, id } = begun
    const blob = toBlobName({ key, id })
    const offset = begun.isNew ? 0 : (await service.store.claim(blob, epoch)).size
    const open = async () =>
      ahead?.replay() ?? openBody(transfer, writer, digests, await readPrefix(service, blob, start))
    try {
      const fileHash = await storeBody(service, transfer, writer, digests, open, { blob, epoch, offset })
      return { upload: await commitUpload(service, key, epoch, fileHash), since: sinceStart }
    } catch (cause) {
      if (cause instanceof Rejected && fatal.has(cause.code)) await failUpload(service, key, epoch, id, cause)
      throw cause
    }
  } finally {
    writer.letGo()
  }
}
