import type { Rejected } from "../../server-kit/rejected.ts"
import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import { toBlobName } from "../storage/blob-name.ts"
import type { Finished } from "../storage/blob-store.ts"
import type { UploadRecord } from "../storage/catalog/catalog.ts"
import type { CommitNotes, Committed } from "../storage/catalog/uploads.ts"
import { createEventId } from "../event-id.ts"
import type { Service } from "../service.ts"
import type { Digests } from "./store-body.ts"
import type { ProvenPut } from "./proven-put.ts"
import { locked } from "../refusals.ts"

/**
 * Ends an upload whose content is refused, or that its client has cancelled: the app is told, and the bytes are removed.
 *
 * @param endWriter called once it has failed, before its bytes are removed: whoever still writes them has to stop
 *
 * @returns whether it has; otherwise it had ended already
 *
 * Fails: rejects with `Rejected` LOCKED where a writer of another process has taken it over: it goes on, and its client must not
 *        be told that it is over.
 */
export const failUpload = async (
  service: Service,
  { appId, key }: Pick<UploadGrant, "appId" | "key">,
  epoch: number,
  id: number,
  reason: Rejected,
  endWriter: () => Promise<unknown> = async () => {},
): Promise<boolean> => {
  const failure = { code: reason.code, message: reason.detail }
  const now = service.now()
  if (!(await service.catalog.fail({ key, epoch, failure, now, eventId: createEventId() }))) {
    const file = (await service.catalog.get(key))?.file
    if (file?.id === id && file.status === "Uploading") throw locked()
    return false
  }
  service.dispatcher.wake()
  service.devStreams.wake(appId)
  await endWriter()
  try {
    await service.store.remove(toBlobName({ key, id }), { lastEpoch: epoch })
    await service.catalog.reclaimed({ id, key })
  } catch {
    // The upload has failed for its own reason; housekeeping takes the bytes.
  }
  return true
}

/**
 * Removes what a writer has stored whose file has ended meanwhile, and whose bytes may have been removed before it stored them: it
 * did not know that others go on without it. Nobody waits for this.
 */
export const removeLate = async ({ catalog, store }: Service, key: string, id: number): Promise<void> => {
  try {
    const file = (await catalog.get(key))?.file
    if (file?.id === id && file.status !== "Failed") return
    await store.remove(toBlobName({ key, id }))
  } catch {
    // The store looks for such bytes itself, a while after it has removed the others.
  }
}

/**
 * Commits with a slot reserved for the callback, where its app has one. The slot is released when no callback is due
 * after all, or when the commit was refused or failed.
 */
const commitWithRoom = async <Outcome extends Committed | { readonly kind: "refused" }>(
  { now, dispatcher }: Service,
  { appId, slug }: UploadGrant,
  commit: (notes: CommitNotes) => Promise<Outcome>,
): Promise<Outcome> => {
  const at = now()
  const room = slug === undefined ? undefined : dispatcher.reserve(appId)
  try {
    const outcome = await commit({
      now: at,
      eventId: createEventId(),
      claimedUntil: room === undefined ? null : room.claimedUntil(at),
    })
    if (outcome.kind === "committed" && outcome.due !== null) room?.send(outcome.due)
    return outcome
  } finally {
    room?.release()
  }
}

/** Tells everybody who has to know that a file is `Uploaded`, or `Held`. */
const announce = (service: Service, committed: Committed): UploadRecord => {
  if (committed.kind === "fenced") throw locked()
  const { upload, due } = committed
  if (due !== null) return upload
  if (upload.file.hold) service.wakeScans()
  const { registration } = upload
  if (registration?.isDev === true) service.devStreams.wake(upload.file.appId, registration.callbackSlug)
  else if (upload.delivery !== null) service.dispatcher.wake()
  return upload
}

/** The last byte is durable: the file becomes `Uploaded`. Fails: rejects with `Rejected` LOCKED. */
export const commitUpload = async (
  service: Service,
  grant: UploadGrant,
  epoch: number,
  { digest, ref }: Finished,
): Promise<UploadRecord> =>
  announce(
    service,
    await commitWithRoom(service, grant, (notes) =>
      service.catalog.commit({ key: grant.key, epoch, fileHash: digest, blobRef: ref, ...notes }),
    ),
  )

/**
 * Keeps a small file that arrived whole, with its bytes, in one transaction of the catalog; undefined where it has to
 * be stored the usual way: its key is already known, the quota has no room, or its digest is not the announced one.
 */
export const commitWhole = async (
  service: Service,
  { app, grant, registration, labels, origin }: ProvenPut,
  { content, repr, wire }: Digests,
  bytes: Uint8Array,
): Promise<UploadRecord | undefined> => {
  const { hash } = process.getBuiltinModule("node:crypto")
  const fileHash = service.settings.hash || repr !== undefined ? hash("sha256", bytes) : ""
  if (repr !== undefined && repr !== fileHash) return undefined
  if (wire !== undefined && wire.copy().digest("hex") !== content) return undefined
  const committed = await commitWithRoom(service, grant, (notes) =>
    service.catalog.commitWhole({
      grant,
      registration,
      labels,
      origin,
      bytes,
      fileHash,
      quota: app.quota,
      appSince: app.since,
      ...notes,
    }),
  )
  return committed.kind === "refused" ? undefined : announce(service, committed)
}
