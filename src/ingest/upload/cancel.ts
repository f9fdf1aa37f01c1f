import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { cancelled, keyTaken } from "../refusals.ts"
import type { Service } from "../service.ts"
import { mayEnd, mayEndWriter } from "../storage/relate-grant.ts"
import { failUpload } from "./end-upload.ts"

/**
 * Ends an upload that its client does not want any more: whoever writes it is stopped, its bytes are removed, quotas have
 * their room back, and its app is told. Of one that has not begun, or is over without a file, nothing changes.
 *
 * What is ended is the file that was looked at: another upload that takes its key over meanwhile has a newer epoch.
 *
 * Fails: rejects with `Rejected` BAD_REQUEST where another upload has the key; LOCKED where new writers come again and again.
 *
 * @returns whether the file has arrived, and so stays
 */
export const cancelUpload = async (service: Service, grant: UploadGrant, tries = 8): Promise<boolean> => {
  const { key } = grant
  const endWriter = () => service.writers.end(key, cancelled(), (written) => mayEndWriter(grant, written))
  const file = (await service.catalog.get(key))?.file
  if (file === undefined || file.status === "Failed" || file.status === "Deleting") {
    // Its first bytes may be here, and nobody knows of it before they are kept.
    return tries > 0 && (await endWriter()) ? cancelUpload(service, grant, tries - 1) : false
  }
  if (!mayEnd(grant, file)) throw keyTaken()
  if (file.status !== "Uploading") return true
  try {
    if (await failUpload(service, grant, file.epoch, file.id, cancelled(), endWriter)) return false
  } catch (error) {
    if (!(error instanceof Rejected) || error.code !== "LOCKED" || tries === 0) throw error
  }
  // Its end, or a new writer, was faster.
  return cancelUpload(service, grant, tries - 1)
}
