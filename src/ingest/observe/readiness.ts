import type { BlobStore } from "../storage/blob-store.ts"
import type { Catalog } from "../storage/catalog/catalog.ts"
import type { FreeSpace, Place } from "../storage/free-space.ts"
import { endsWithin } from "../../server-kit/ends-within.ts"
import type { Changes } from "../delivery/changes.ts"
import type { OutageWatch } from "./outage.ts"

/** Whether uploads can be accepted, part by part: `ok`, or what is wrong in a few words that hold no secret. */
export interface Readiness {
  readonly ingest: "ok" | "stopping"
  readonly catalog: "ok" | "failing" | "not checked"
  readonly store: "ok" | "failing" | "not checked"
}

/** ms for which a result is reused, so that frequent checks cost nothing. */
const freshness = 1000

/** ms that a part may take to answer. */
const patience = 2000

const succeeds = async (probe: () => Promise<unknown>, outage: OutageWatch): Promise<"ok" | "failing"> => {
  try {
    if (!(await endsWithin(probe(), patience))) return "failing"
  } catch (cause) {
    outage.failed("probe", cause)
    return "failing"
  }
  outage.succeeded()
  return "ok"
}

/** Makes the function that says whether uploads can be accepted; concurrent calls share the answer. */
export const createReadinessCheck = ({
  store,
  space,
  catalog,
  outages,
  changes,
  isConnected,
}: {
  readonly store: BlobStore
  /** A disk on which a byte can be written may have no room for anything new: its reserve is for what frees room. */
  readonly space: Pick<FreeSpace, "check">
  readonly catalog: Catalog
  /** While nobody uploads, only these checks see that a port fails. */
  readonly outages: { readonly store: OutageWatch; readonly catalog: OutageWatch }
  readonly changes: Changes
  /** Whether it takes part, where it is one of several. */
  readonly isConnected: () => boolean
}): (() => Promise<Readiness>) => {
  let found: Promise<Readiness> | undefined
  const check = async (): Promise<Readiness> => {
    const probe = async (port: Pick<BlobStore, "probe">, place: Place): Promise<void> => {
      await space.check(place)
      await port.probe()
    }
    const checks = [
      succeeds(() => probe(catalog, "catalog"), outages.catalog),
      succeeds(() => probe(store, "store"), outages.store),
    ] as const
    const [catalogState, storeState] = await Promise.all(checks)
    setTimeout(() => {
      found = undefined
    }, freshness).unref?.()
    return { ingest: "ok", catalog: isConnected() ? catalogState : "failing", store: storeState }
  }
  return async () =>
    changes.isDraining() ? { ingest: "stopping", catalog: "not checked", store: "not checked" } : (found ??= check())
}
