import { CatalogError } from "../catalog/catalog.ts"

/** Notices that files which this process holds open are no longer where they were opened. */
export interface PlaceWatch {
  /**
   * Looks at all of them, which takes some microseconds.
   *
   * Fails: throws a {@link CatalogError} `io` that says which one is gone and what to do; the system's error where it cannot look.
   */
  readonly check: () => void
  /** Looks only where the last look has failed: for everything that a look each time would slow down. */
  readonly recheck: () => void
}

/**
 * Remembers which files are at these paths. A file that is removed, moved away or replaced lives on for whoever has it open, and
 * what is written to it is lost with that process: nothing of it may be confirmed.
 *
 * @param paths files that exist and stay open, so that no other one can get the number that the system knows them by
 */
export const watchPlaces = (paths: ReadonlyArray<string>): PlaceWatch => {
  const { statSync } = process.getBuiltinModule("node:fs")
  const identify = (path: string): string => {
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    return found === undefined ? "" : `${found.dev}:${found.ino}`
  }
  const known = paths.map((path) => [path, identify(path)] as const)
  let isLost = false
  const check = (): void => {
    // Also where the system cannot say it.
    isLost = true
    for (const [path, identity] of known) {
      if (identify(path) === identity) continue
      throw new CatalogError(
        "io",
        `${path} was removed, moved or replaced while this process has it open, so that whatever is stored now would be lost. Put it back as it was, or restart the ingest.`,
      )
    }
    isLost = false
  }
  return {
    check,
    recheck: () => {
      if (isLost) check()
    },
  }
}
