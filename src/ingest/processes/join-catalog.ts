import type { Write } from "../../server-kit/logging.ts"
import { createReaderWatch } from "../download/reader-watch.ts"
import { cutOff, locked } from "../refusals.ts"
import type { Service } from "../service.ts"
import type { Catalog } from "../storage/catalog/catalog.ts"
import type { CatalogProcesses } from "../storage/catalog/processes.ts"
import { createMembership, type MemberOf, type Membership, type ProcessTimes, single } from "./membership.ts"

/** Every epoch. */
const anyEpoch = Number.MAX_SAFE_INTEGER

/** The parts of an ingest that others want something of. */
interface Parts {
  /** Called when the others are looked at. */
  readonly getService: () => Service
  readonly wakeEndpoints: () => void
  readonly write: Write
}

/** What an ingest does as one of several. */
const toMember = (processes: CatalogProcesses, { getService, wakeEndpoints, write }: Parts): MemberOf => {
  const watchReaders = createReaderWatch(getService)
  return {
    processes,
    write,
    countActive: () => getService().slots.countByApp(),
    isBusy: () => {
      const { writers, devStreams } = getService()
      return writers.count() > 0 || devStreams.count() > 0
    },
    heard: ({ stops, hasReleased }) => {
      const { writers, dispatcher, devStreams } = getService()
      for (const key of stops) {
        if (writers.isHeld(key)) writers.stop(key, locked())
        // It has let go already, which the catalog was not told.
        else void processes.letGo(key, anyEpoch).catch(() => {})
      }
      void watchReaders()
      devStreams.lookAround()
      if (!hasReleased) return
      dispatcher.wake()
      wakeEndpoints()
    },
    lost: () => getService().writers.stopAll(cutOff()),
  }
}

/** An ingest among those on its catalog: alone where no other one may be, and one without a background is known to nobody. */
export const joinCatalog = (
  { processes }: Pick<Catalog, "processes">,
  hasBackground: boolean,
  parts: Parts,
  times?: ProcessTimes,
): Membership =>
  processes === undefined || !hasBackground ? single : createMembership(toMember(processes, parts), times)
