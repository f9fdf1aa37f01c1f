import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { cancelled, keyTaken } from "../refusals.ts"
import type { Service } from "../service.ts"
import { isSameUpload } from "../storage/upload-rules.ts"
import { failUpload } from "./end-upload.ts"

/**
 * Ends an upload that its client does not want any more: whoever writes it is stopped, its bytes are removed, quotas have
 * their room back, and its app is told. Of one that has not begun, or is over without a file, nothing changes.
 *
 * Fails: rejects with `Rejected` BAD_REQUEST where another file has the key; LOCKED where new writers come again and again.
 *
 * @returns whether the file has arrived, and so stays
 */
export const cancelUpload = async (service: Service, grant: UploadGrant, tries = 8): Promise<boolean> => {
  const { catalog, writers } = service
  const { key } = grant
  const upload = await catalog.get(key)
  if (upload === null || upload.file.status === "Failed" || upload.file.status === "Deleting") return false
  if (!isSameUpload(upload.file, grant)) throw keyTaken()
  if (upload.file.status !== "Uploading") return true
  const reason = cancelled()
  writers.stop(key, reason)
  const epoch = await catalog.interrupt(key)
  if (typeof epoch === "number") {
    try {
      await failUpload(service, grant, epoch, upload.file.id, reason)
      return false
    } catch (error) {
      if (!(error instanceof Rejected) || error.code !== "LOCKED" || tries === 0) throw error
    }
  }
  // Its end, or a new writer, was faster.
  return cancelUpload(service, grant, tries - 1)
}
