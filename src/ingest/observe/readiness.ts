import type { BlobStore } from "../storage/blob-store.ts"
import type { Catalog } from "../storage/catalog.ts"
import { endsWithin } from "../../server-kit/ends-within.ts"
import type { Changes } from "../delivery/changes.ts"

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

const succeeds = async (check: () => Promise<unknown>): Promise<"ok" | "failing"> => {
  try {
    return (await endsWithin(check(), patience)) ? "ok" : "failing"
  } catch {
    return "failing"
  }
}

/** Makes the function that says whether uploads can be accepted; concurrent calls share the answer. */
export const createReadinessCheck = ({
  store,
  catalog,
  changes,
  isConnected,
}: {
  readonly store: BlobStore
  readonly catalog: Catalog
  readonly changes: Changes
  /** Whether it takes part, where it is one of several. */
  readonly isConnected: () => boolean
}): (() => Promise<Readiness>) => {
  let found: Promise<Readiness> | undefined
  const check = async (): Promise<Readiness> => {
    const checks = [succeeds(() => catalog.probe()), succeeds(() => store.probe())] as const
    const [catalogState, storeState] = await Promise.all(checks)
    setTimeout(() => {
      found = undefined
    }, freshness).unref?.()
    return { ingest: "ok", catalog: isConnected() ? catalogState : "failing", store: storeState }
  }
  return async () =>
    changes.isDraining() ? { ingest: "stopping", catalog: "not checked", store: "not checked" } : (found ??= check())
}
