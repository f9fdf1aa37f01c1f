import { Rejected } from "../../server-kit/rejected.ts"
import type { ProblemCode } from "../../protocol/errors/problem.ts"
import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import { toBlobName } from "../storage/blob-name.ts"
import { type BlobState, BlobStoreError } from "../storage/blob-store.ts"
import type { UploadRecord } from "../storage/catalog/catalog.ts"
import { begin } from "./begin.ts"
import { commitUpload, commitWhole, failUpload, removeLate } from "./end-upload.ts"
import { type ReadAhead, readAhead } from "./incoming.ts"
import { letIn } from "./let-in.ts"
import { deleted, keyTaken, uploadFailed } from "../refusals.ts"
import { relateGrant } from "../storage/relate-grant.ts"
import type { Service } from "../service.ts"
import { askAgain, type Known, nothingKnown } from "../delivery/server-data.ts"
import type { ProvenPut } from "./proven-put.ts"
import { openBody, readDigests, readPrefix, storeBody } from "./store-body.ts"

/** A file that is `Uploaded`, and what was known of its callback before. */
export interface Transferred {
  readonly upload: UploadRecord
  readonly known: Known
}

/** Codes that say that the content itself is wrong: the upload ends `Failed`, and none of its bytes are kept. */
const fatal: ReadonlySet<ProblemCode> = new Set<ProblemCode>(["SIZE_MISMATCH", "CONTENT_MISMATCH", "DIGEST_MISMATCH"])

/** Whether a body is small enough for {@link commitWhole}. */
const mayBeWhole = ({ catalog }: Service, { grant, start, announced }: ProvenPut): boolean =>
  start === 0 && grant.size <= catalog.abilities.largestContent && announced <= grant.size

/** Whether a writer was refused because its epoch is no longer the newest. */
const isFence = (cause: unknown): boolean =>
  cause instanceof Rejected ? cause.code === "LOCKED" : BlobStoreError.is(cause) && cause.reason === "fenced"

/** Whether a deletion, or its client, may be why a writer has failed: another one was let in, or its bytes were removed by another process. */
const mayBeOver = (cause: unknown): boolean =>
  isFence(cause) || (BlobStoreError.is(cause) && cause.reason === "missing")

/** Why the upload that is being written is over, deleted by its app or cancelled by its client: who has ended it may not have stopped this writer yet. Undefined where it is not. */
const findEnd = async ({ catalog, now }: Service, grant: UploadGrant, id: number): Promise<Rejected | undefined> => {
  const file = (await catalog.get(grant.key))?.file
  if (file === undefined) return deleted()
  if (file.id !== id) return (await catalog.judgeKey(grant, now())) === "open" ? undefined : deleted()
  if (file.status === "Failed" && file.failure?.code === "ABORTED") return uploadFailed(file.failure)
  return file.status === "Deleting" ? deleted() : undefined
}

/**
 * Whether a grant may disturb the writer that holds its key. It need not where its file is there already, as it is for
 * several clients that ask for its result at once.
 *
 * Fails: throws `Rejected` where it has no right to the key.
 */
const mayDisturb = async ({ writers, catalog }: Service, grant: UploadGrant): Promise<boolean> => {
  const upload = writers.isHeld(grant.key) ? await catalog.get(grant.key) : null
  if (upload === null) return true
  const relation = relateGrant(upload.file, grant)
  if (relation === "refused") throw keyTaken()
  return relation !== "same" || upload.file.status !== "Uploaded"
}

/** For the chunks of a small file that was let in with all of its bytes. */
const reserved = (): void => {}

/** The state of a new file. */
const nothing: BlobState = { size: 0, isFinished: false }

/**
 * Receives a body: one writer, the right offset, every byte durable, then the commit that owes the app its callback.
 *
 * A key that is already finished returns its file again, whatever the body.
 *
 * Fails: rejects with `Rejected`; NOT_FOUND (the app has deleted it), LOCKED, QUOTA_EXCEEDED, INGEST_UNAVAILABLE, RANGE_MISMATCH, SIZE_MISMATCH, CONTENT_MISMATCH, DIGEST_MISMATCH, BAD_REQUEST.
 */
export const transfer = async (service: Service, put: ProvenPut): Promise<Transferred> => {
  const { request, grant, start } = put
  const { key, size } = grant
  const digests = readDigests(request)
  if (!(await mayDisturb(service, grant))) {
    const found = await begin(service, put)
    if (found.kind === "finished") return { upload: found.upload, known: await askAgain(service, found.upload) }
  }
  const isSmall = mayBeWhole(service, put)
  const hasRoom = await letIn(service, put, isSmall ? size : 0)
  const writer = await service.writers.take(key, grant)
  try {
    let ahead: ReadAhead | undefined
    if (isSmall) {
      ahead = await readAhead(
        openBody(service, put, writer, digests, new Uint8Array(), hasRoom ? reserved : undefined),
        size,
      )
      const upload = ahead.whole && (await commitWhole(service, put, digests, ahead.whole))
      if (upload !== undefined) return { upload, known: nothingKnown }
    }
    const begun = await begin(service, put, writer)
    if (begun.kind === "finished") return { upload: begun.upload, known: await askAgain(service, begun.upload) }
    const { epoch, id } = begun
    const blob = toBlobName({ key, id })
    const open = async () =>
      ahead?.replay() ?? openBody(service, put, writer, digests, await readPrefix(service, blob, start))
    try {
      const state = begun.isNew ? nothing : await service.store.claim(blob, epoch)
      const finished = await storeBody(service, put, digests, open, { blob, epoch, state })
      return { upload: await commitUpload(service, grant, epoch, finished), known: nothingKnown }
    } catch (cause) {
      // What it has received is flushed. Nobody waits for this: where it fails it is made up for when somebody else wants the key.
      void service.catalog.processes?.letGo(key, epoch).catch(() => {})
      if (cause instanceof Rejected && fatal.has(cause.code)) await failUpload(service, grant, epoch, id, cause)
      else void removeLate(service, key, id)
      // The reason with which a writer was stopped explains why it was fenced off.
      const end = mayBeOver(cause) ? await findEnd(service, grant, id) : undefined
      throw end ?? (isFence(cause) && writer.signal.aborted ? writer.signal.reason : cause)
    }
  } finally {
    writer.letGo()
  }
}
