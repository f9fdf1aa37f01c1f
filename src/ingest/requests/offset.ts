import * as Effect from "effect/Effect"
import { names } from "../../protocol/names.ts"
import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import { attempt } from "../attempt.ts"
import { authoriseUpload } from "../access/authorise.ts"
import { refuseOrphan } from "../registrations.ts"
import { toBlobName } from "../storage/blob-name.ts"
import { isSameUpload } from "../storage/relate-grant.ts"
import type { Service } from "../service.ts"
import { locked, refuseKey } from "../refusals.ts"
import { untilLetGo } from "../upload/until-let-go.ts"

/** The durable offset of a key, after its current writer has released it. */
const findOffset = async ({ writers, catalog, store, now }: Service, grant: UploadGrant): Promise<number> => {
  const { key } = grant
  const refuseDeleted = async () => {
    const verdict = await catalog.judgeKey(grant, now())
    if (verdict !== "open") throw refuseKey(verdict, grant)
  }
  await refuseDeleted()
  const known = await catalog.get(key)
  // The upload begins anew, if it may. Until then the current writer is not disturbed.
  if (known !== null && known.file.status !== "Deleting" && !isSameUpload(known.file, grant)) return 0
  const writer = await writers.take(key)
  try {
    await refuseDeleted()
    const upload = await catalog.get(key)
    // A key that is used again for another file begins that file anew.
    const isThere = upload?.file.status === "Uploading" || upload?.file.status === "Uploaded"
    if (!isThere || !isSameUpload(upload.file, grant)) return 0
    if (upload.file.status !== "Uploading") return upload.file.size
    const ask = (unlessHeld: boolean) => catalog.interrupt(key, unlessHeld)
    const epoch = await untilLetGo(catalog, ask, (answer) => answer === "held", writer.signal)
    if (epoch === "held") throw locked()
    return epoch === null ? upload.file.size : (await store.claim(toBlobName(upload.file), epoch)).size
  } finally {
    writer.letGo()
  }
}

/** `HEAD` of a signed URL: the offset to resume from. Source: docs/protocol.md §10. */
export const respondOffset = Effect.fnUntraced(function* (service: Service, url: string) {
  const { grant } = yield* authoriseUpload(service, url)
  yield* refuseOrphan(service, grant)
  const offset = yield* attempt(() => findOffset(service, grant))
  const headers = { [names.header.rangeStart]: String(offset), "cache-control": "no-store" }
  return { status: 200, headers, body: null }
})
