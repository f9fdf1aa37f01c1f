import type { Service } from "../service.ts"
import { sizeBeginning } from "../storage/quota.ts"
import { isFailureOf, relateGrant } from "../storage/relate-grant.ts"
import type { ProvenUpload } from "./proven-put.ts"

/**
 * Lets an upload in before anything is written of it. Below the reserve of the disks those go on that were let in before, and
 * those whose file is there get its answer.
 *
 * @param bytes what the catalog would keep of the file itself
 * @param admit `wouldAdmit` of the space for who only asks: nothing is reserved then
 *
 * @returns whether room is reserved for all of it; otherwise its bytes have to find theirs
 *
 * Fails: rejects with `Rejected` INGEST_UNAVAILABLE.
 */
export const letIn = async (
  { space, catalog }: Service,
  { grant, labels, registration }: ProvenUpload,
  bytes = 0,
  admit = space.admit,
): Promise<boolean> => {
  try {
    await admit(sizeBeginning(grant, labels, registration) + bytes)
    return true
  } catch (refusal) {
    const known = await catalog.get(grant.key)
    if (known === null || relateGrant(known.file, grant) !== "same") throw refusal
    // A new URL begins an upload anew that has failed by an earlier one.
    if (known.file.status === "Failed" && !isFailureOf(known.file, grant)) throw refusal
    return false
  }
}
