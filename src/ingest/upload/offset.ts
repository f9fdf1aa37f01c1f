import * as Effect from "effect/Effect"
import { names } from "../../protocol/names.ts"
import { attempt } from "../attempt.ts"
import { authoriseUpload } from "../access/authorise.ts"
import { findTooLarge, locked, refuseKey } from "../refusals.ts"
import { refuseOrphan } from "../registrations.ts"
import type { Service } from "../service.ts"
import { toBlobName } from "../storage/blob-name.ts"
import type { FileRecord } from "../storage/catalog/catalog.ts"
import { noOwnerUsage, noUsage } from "../storage/quota.ts"
import { isSameUpload } from "../storage/relate-grant.ts"
import { decideBegin } from "../storage/upload-rules.ts"
import { letIn } from "./let-in.ts"
import type { ProvenUpload } from "./proven-put.ts"
import { unlessRefused } from "./unless-refused.ts"
import { untilLetGo } from "./until-let-go.ts"

/**
 * Refuses an upload that a PUT could not begin: whoever asks for its offset is about to send all of its bytes.
 *
 * @param file the one that holds the key
 */
const refuseBeginning = async (service: Service, upload: ProvenUpload, file: FileRecord | undefined): Promise<void> => {
  const { catalog, now } = service
  const { grant, labels } = upload
  const { quota } = upload.app
  const { owner, ownerQuota } = labels
  const usage = quota === undefined ? noUsage : await catalog.usage(grant.appId)
  const ofOwner =
    owner === undefined || ownerQuota === undefined ? noOwnerUsage : await catalog.usageOfOwner(grant.appId, owner)
  const verdict = decideBegin(
    { grant, labels, now: now(), quota, eventId: undefined },
    file,
    () => usage,
    () => ofOwner,
  )
  unlessRefused(verdict, upload)
  await letIn(service, upload, 0, service.space.wouldAdmit)
}

/** The durable offset of a key, after its current writer has released it. */
const findOffset = async (service: Service, proven: ProvenUpload): Promise<number> => {
  const { writers, catalog, store, now } = service
  const { grant } = proven
  const { key } = grant
  const refuseDeleted = async () => {
    const verdict = await catalog.judgeKey(grant, now())
    if (verdict !== "open") throw refuseKey(verdict, grant)
  }
  await refuseDeleted()
  const known = await catalog.get(key)
  // The upload begins anew, if it may. Until then the current writer is not disturbed.
  if (known !== null && known.file.status !== "Deleting" && !isSameUpload(known.file, grant)) {
    await refuseBeginning(service, proven, known.file)
    return 0
  }
  const writer = await writers.take(key)
  try {
    await refuseDeleted()
    const upload = await catalog.get(key)
    // A key that is used again for another file begins that file anew.
    const isThere = upload?.file.status === "Uploading" || upload?.file.status === "Uploaded"
    if (!isThere || !isSameUpload(upload.file, grant)) {
      await refuseBeginning(service, proven, upload?.file)
      return 0
    }
    if (upload.file.status !== "Uploading") return upload.file.size
    const ask = (unlessHeld: boolean) => catalog.interrupt(key, unlessHeld)
    const epoch = await untilLetGo(catalog, ask, (answer) => answer === "held", writer.signal)
    if (epoch === "held") throw locked()
    return epoch === null ? upload.file.size : (await store.claim(toBlobName(upload.file), epoch)).size
  } finally {
    writer.letGo()
  }
}

/**
 * `HEAD` of a signed URL: the offset to resume from.
 *
 * Fails:  as the PUT would that begins it, by what its head says.
 * Source: docs/protocol.md §10.
 *
 * @param url    the public base URL and the path and query as received
 * @param origin the public base URL
 */
export const respondOffset = Effect.fnUntraced(function* (service: Service, url: string, origin: string) {
  const proven = yield* authoriseUpload(service, url)
  yield* refuseOrphan(service, proven.grant)
  const tooLarge = findTooLarge(proven.grant, service.settings.maxFileSize)
  if (tooLarge !== undefined) return yield* tooLarge
  const offset = yield* attempt(() => findOffset(service, { ...proven, origin }))
  const headers = { [names.header.rangeStart]: String(offset), "cache-control": "no-store" }
  return { status: 200, headers, body: null }
})
