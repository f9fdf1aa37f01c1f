import type { Write } from "../../server-kit/logging.ts"
import { cutOff, locked } from "../refusals.ts"
import type { Service } from "../service.ts"
import type { CatalogProcesses } from "../storage/catalog-processes.ts"
import type { MemberOf } from "./membership.ts"

/** Every epoch. */
const anyEpoch = Number.MAX_SAFE_INTEGER

/**
 * What an ingest does as one of several.
 *
 * @param getService called when the others are looked at
 */
export const toMember = (
  getService: () => Service,
  processes: CatalogProcesses,
  wakeEndpoints: () => void,
  write: Write,
): MemberOf => ({
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
    devStreams.lookAround()
    if (!hasReleased) return
    dispatcher.wake()
    wakeEndpoints()
  },
  lost: () => getService().writers.stopAll(cutOff()),
})
