import { expect } from "vitest"
import type { Catalog } from "../../../src/ingest.ts"
import { createGrant } from "../circle.ts"

const hash = "ab".repeat(32)

/** Small files in the catalog, as if they had been uploaded; gives their keys. */
export const fill = (catalog: Catalog, count: number, labels: { readonly owner?: string; readonly path?: string }) =>
  Promise.all(
    Array.from({ length: count }, async (_, i) => {
      const grant = createGrant({ size: 1, issuedAt: Date.now() - 1 })
      const committed = await catalog.commitWhole({
        grant,
        labels,
        origin: "http://ingest.example",
        bytes: Uint8Array.of(i),
        fileHash: hash,
        now: Date.now(),
        eventId: `evt_${grant.key}`,
        claimedUntil: null,
      })
      expect(committed.kind).toBe("committed")
      return grant.key
    }),
  )
