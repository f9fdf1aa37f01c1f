import type { Rejected } from "../../http/rejected.ts"
import { toBlobName } from "../storage/blob-name.ts"
import type { Committed, UploadRecord } from "../storage/catalog.ts"
import { type Service, createEventId } from "../service.ts"
import type { Digests } from "./store-body.ts"
import type { Transfer } from "./transfer.ts"
import { superseded } from "./writers.ts"

/** Ends an upload whose content is refused: the app is told, the bytes go. */
export const failUpload = async (
  service: Service,
  key: string,
  epoch: number,
  id: number,
  reason: Rejected,
): Promise<void> => {
  const failure = { code: reason.code, message: reason.detail }
  const now = service.now()
  if (!(await service.catalog.fail({ key, epoch, failure, now, eventId: createEventId() }))) return
  service.dispatcher.wake()
  service.devStreams.wake()
  try {
    await service.store.remove(toBlobName({ key, id }))
    await service.catalog.reclaimed({ id, key })
  } catch {
    // The upload has failed for its own reason; housekeeping takes the bytes.
  }
}

/** A file is `Uploaded`: whoever has to know is told. */
const announce = (service: Service, committed: Committed): UploadRecord => {
  if (committed.kind === "fenced") throw superseded()
  const { upload, due } = committed
  if (due !== null) service.dispatcher.send(due)
  else if (upload.registration?.isDev === true) service.devStreams.wake()
  else if (upload.delivery !== null) service.dispatcher.wake()
  return upload
}

/** What a commit notes beside the file itself. */
const commitNow = ({ now, dispatcher }: Service) => {
  const at = now()
  return { now: at, eventId: createEventId(), claimedUntil: dispatcher.claimUntil(at) }
}

/** The last byte is durable: the file is `Uploaded`. Fails: rejects with `Rejected` LOCKED. */
export const commitUpload = async (
  service: Service,
  key: string,
  epoch: number,
  fileHash: string,
): Promise<UploadRecord> =>
  announce(service, await service.catalog.commit({ key, epoch, fileHash, ...commitNow(service) }))

/**
 * Keeps a small file that came whole, bytes and all, in one transaction of the catalog; undefined where it has to go
 * the long way: its key is known already, the quota has no room, or its digest is not the announced one.
 */
export const commitWhole = async (
  service: Service,
  { app, grant, origin }: Transfer,
  { content, repr, wire }: Digests,
  bytes: Uint8Array,
): Promise<UploadRecord | undefined> => {
  const { hash } = process.getBuiltinModule("node:crypto")
  const fileHash = service.settings.hash || repr !== undefined ? hash("sha256", bytes) : ""
  if (repr !== undefined && repr !== fileHash) return undefined
  if (wire !== undefined && wire.copy().digest("hex") !== content) return undefined
  const committed = await service.catalog.commitWhole({
    grant,
    origin,
    bytes,
    fileHash,
    quota: app.quota,
    ...commitNow(service),
  })
  return committed.kind === "refused" ? undefined : announce(service, committed)
}
