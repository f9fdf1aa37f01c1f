import type { Catalog, FileLabels } from "../../ingest.ts"
import type { UploadGrant } from "../../protocol.ts"
import { content, grantOf } from "./drive-catalog.ts"

const origin = "http://ingest.example"

/** As `driveCatalog`, for uploads by an app's server whose URLs say something of their files. */
export const driveLabels = (catalog: () => Catalog) => ({
  begin: (key: string, labels: FileLabels, grant: Partial<UploadGrant> = {}, now = 1000) =>
    catalog().begin({ grant: grantOf(key, { slug: undefined, ...grant }), labels, origin, now }),
  commitWhole: (key: string, labels: FileLabels, grant: Partial<UploadGrant> = {}, now = 2000) =>
    catalog().commitWhole({
      grant: grantOf(key, { slug: undefined, ...grant }),
      labels,
      origin,
      bytes: content,
      fileHash: "ab".repeat(32),
      now,
      eventId: `evt_${key}`,
      claimedUntil: null,
    }),
})
