import type { Rejected } from "../../server-kit/rejected.ts"
import type { UploadGrant } from "../../protocol/signed-url.ts"
import { toBlobName } from "../storage/blob-name.ts"
import type { UploadRecord } from "../storage/catalog.ts"
import type { CommitNotes, Committed } from "../storage/catalog-uploads.ts"
import { type Service, createEventId } from "../service.ts"
import type { Digests } from "./store-body.ts"
import type { ProvenPut } from "./proven-put.ts"
import { locked } from "../refusals.ts"

/** Ends an upload whose content is refused: the app is told, the bytes go. */
export const failUpload = async (
  service: Service,
  { appId, key }: Pick<UploadGrant, "appId" | "key">,
  epoch: number,
  id: number,
  reason: Rejected,
): Promise<void> => {
  const failure = { code: reason.code, message: reason.detail }
  const now = service.now()
  if (!(await service.catalog.fail({ key, epoch, failure, now, eventId: createEventId() }))) return
  service.dispatcher.wake()
  service.devStreams.wake(appId)
  try {
    await service.store.remove(toBlobName({ key, id }))
    await service.catalog.reclaimed({ id, key })
  } catch {
    // The upload has failed for its own reason; housekeeping takes the bytes.
  }
}

/**
 * Commits with room for the callback, where its app has some: given back when none is due after all, the commit was
 * refused or could not be made.
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

/** A file is `Uploaded`: whoever has to know is told. */
const announce = (service: Service, committed: Committed): UploadRecord => {
  if (committed.kind === "fenced") throw locked()
  const { upload, due } = committed
  if (due !== null) return upload
  const { registration } = upload
  if (registration?.isDev === true) service.devStreams.wake(upload.file.appId, registration.callbackSlug)
  else if (upload.delivery !== null) service.dispatcher.wake()
  return upload
}

/** The last byte is durable: the file is `Uploaded`. Fails: rejects with `Rejected` LOCKED. */
export const commitUpload = async (
  service: Service,
  grant: UploadGrant,
  epoch: number,
  fileHash: string,
): Promise<UploadRecord> =>
  announce(
    service,
    await commitWithRoom(service, grant, (notes) =>
      service.catalog.commit({ key: grant.key, epoch, fileHash, ...notes }),
    ),
  )

/**
 * Keeps a small file that came whole, bytes and all, in one transaction of the catalog; undefined where it has to go
 * the long way: its key is known already, the quota has no room, or its digest is not the announced one.
 */
export const commitWhole = async (
  service: Service,
  { app, grant, origin }: ProvenPut,
  { content, repr, wire }: Digests,
  bytes: Uint8Array,
): Promise<UploadRecord | undefined> => {
  const { hash } = process.getBuiltinModule("node:crypto")
  const fileHash = service.settings.hash || repr !== undefined ? hash("sha256", bytes) : ""
  if (repr !== undefined && repr !== fileHash) return undefined
  if (wire !== undefined && wire.copy().digest("hex") !== content) return undefined
  const committed = await commitWithRoom(service, grant, (notes) =>
    service.catalog.commitWhole({ grant, origin, bytes, fileHash, quota: app.quota, appSince: app.since, ...notes }),
  )
  return committed.kind === "refused" ? undefined : announce(service, committed)
}
