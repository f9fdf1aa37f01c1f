import {
  fileOverOwnerQuota,
  fileOverQuota,
  invalidSignature,
  keyTaken,
  locked,
  refuseKey,
  uploadFailed,
} from "../refusals.ts"
import type { Begun } from "../storage/catalog/uploads.ts"
import type { BeginVerdict } from "../storage/upload-rules.ts"
import type { ProvenUpload } from "./proven-put.ts"

/** The decision of a catalog that an upload may not begin, or go on. */
type Refused = Exclude<Begun, { readonly kind: "granted" | "finished" }>

/**
 * The decision of a catalog, of an upload that may begin, or whose file is there.
 *
 * Fails: throws what the client of any other is told, a `Rejected`.
 */
export const unlessRefused = <Verdict extends Begun | BeginVerdict>(
  verdict: Verdict,
  { app, grant, labels }: ProvenUpload,
): Exclude<Verdict, Refused> => {
  switch (verdict.kind) {
    case "unknownApp":
      throw invalidSignature()
    case "failed":
      throw uploadFailed(verdict.failure)
    case "deleted":
    case "unregistered":
      throw refuseKey(verdict.kind, grant)
    case "taken":
      throw keyTaken()
    case "held":
      throw locked()
    case "overQuota":
      throw fileOverQuota(grant, verdict.usage, app.quota)
    case "overOwnerQuota":
      throw fileOverOwnerQuota(grant, verdict.usage, labels.ownerQuota)
    default:
      return verdict as Exclude<Verdict, Refused>
  }
}
