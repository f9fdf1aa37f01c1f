import { formatByteSize } from "../../protocol/byte-size.ts"
import { storageFull } from "../refusals.ts"
import { type BlobStore, BlobStoreError } from "./blob-store.ts"
import { type Catalog, CatalogError } from "./catalog/catalog.ts"

/** What has a disk of its own, or the same one as the other. */
export type Place = "store" | "catalog"

/**
 * Keeps a reserve of the disks of files and catalog. It is there for what frees room, and for what was let in before it was
 * reached: nothing else may write to the catalog then.
 */
export interface FreeSpace {
  /**
   * Reserves room for bytes of a file that are about to be stored. Returns a promise when the disk has to be asked first.
   *
   * Fails: throws, or rejects with, `Rejected` INGEST_UNAVAILABLE when they would eat into the reserve.
   */
  readonly take: (length: number) => void | Promise<void>
  /**
   * Reserves room for what the catalog would have to keep of something new, before any of it is written; otherwise as
   * {@link FreeSpace.take}. Both disks need the room: what is begun below the reserve of either cannot end.
   */
  readonly admit: (length: number) => void | Promise<void>
  /**
   * Room in the catalog for what is small and owed to what was let in before: it may take the upper half of the reserve. The lower half
   * is left to what frees room.
   */
  readonly admitOwed: (length: number) => void | Promise<void>
  /** Fails as {@link FreeSpace.admit} would now, and reserves nothing: for those who only ask. */
  readonly wouldAdmit: (length: number) => void | Promise<void>
  /**
   * Asks the disk, and has what follows know its answer.
   *
   * Fails: rejects with a {@link BlobStoreError} or {@link CatalogError} `full` where nothing new could be kept there now.
   */
  readonly check: (place: Place) => Promise<void>
}

/** How long an answer of the disk is valid, ms; what is taken meanwhile is subtracted. */
const maximumAge = 1000

/** How much may still be taken of one disk. */
interface Meter {
  readonly ask: () => Promise<void>
  /** Resolves when the disk has been asked; undefined where its last answer is still valid. */
  readonly refresh: () => Promise<void> | undefined
  /** @param ofReserve how much of the reserve it may take, bytes */
  readonly fits: (length: number, ofReserve?: number) => boolean
  readonly subtract: (length: number) => void
  readonly describeShortage: () => BlobStoreError | CatalogError
}

const createMeter = (
  readFree: () => Promise<number>,
  minimumFree: number,
  toError: (found: string) => BlobStoreError | CatalogError,
): Meter => {
  let left = 0
  let askedAt = -Infinity
  let asking: Promise<void> | undefined

  const ask = async (): Promise<void> => {
    // A disk that cannot be asked will fail by itself when it is full.
    left = (await readFree().catch(() => Infinity)) - minimumFree
    // Not the wall clock, which may be set back.
    askedAt = performance.now()
    asking = undefined
  }

  const askOnce = (): Promise<void> => (asking ??= ask())

  return {
    ask: askOnce,
    refresh: () => (performance.now() - askedAt < maximumAge ? undefined : askOnce()),
    fits: (length, ofReserve = 0) => length <= left + ofReserve,
    subtract: (length) => {
      left -= length
    },
    describeShortage: () => toError(formatByteSize(Math.max(0, left + minimumFree))),
  }
}

/** Resolves when all disks have been asked; undefined where there is nothing to wait for. */
const refreshAll = (meters: ReadonlyArray<Meter>): Promise<unknown> | undefined => {
  let asked: Promise<unknown> | undefined
  for (const meter of meters) {
    const answer = meter.refresh()
    if (answer !== undefined) asked = asked === undefined ? answer : Promise.all([asked, answer])
  }
  return asked
}

const requireRoom = (meters: ReadonlyArray<Meter>, length: number, ofReserve = 0): void => {
  for (const meter of meters) if (!meter.fits(length, ofReserve)) throw storageFull(meter.describeShortage())
}

const subtract = (meters: ReadonlyArray<Meter>, length: number, ofReserve = 0): void => {
  requireRoom(meters, length, ofReserve)
  for (const meter of meters) meter.subtract(length)
}

/** @param minimumFree the reserve of each disk, bytes; 0: none */
export const createFreeSpace = (
  { store, catalog }: { readonly store: Pick<BlobStore, "free">; readonly catalog?: Pick<Catalog, "free"> },
  minimumFree: number,
): FreeSpace => {
  const held = minimumFree === 0 ? "" : `, ${formatByteSize(minimumFree)} are held in reserve`
  // A driver may be a class, and may throw rather than reject.
  const ofStore =
    store.free &&
    createMeter(
      async () => store.free!(),
      minimumFree,
      (found) =>
        new BlobStoreError("full", `${found} are free where the store keeps its files${held}. Free space there.`),
    )
  const ofCatalog =
    catalog?.free &&
    createMeter(
      async () => catalog.free!(),
      minimumFree,
      (found) => new CatalogError("full", `${found} are free where the catalog is kept${held}. Free space there.`),
    )
  const toTake = [ofStore].filter((meter) => meter !== undefined)
  const toAdmit = [ofStore, ofCatalog].filter((meter) => meter !== undefined)

  const onceAsked =
    (meters: ReadonlyArray<Meter>, use: typeof subtract, ofReserve = 0): FreeSpace["take"] =>
    (length) => {
      const asked = refreshAll(meters)
      return asked === undefined ? use(meters, length, ofReserve) : asked.then(() => use(meters, length, ofReserve))
    }

  return {
    ...(minimumFree === 0
      ? { take: () => {}, admit: () => {}, admitOwed: () => {}, wouldAdmit: () => {} }
      : {
          take: onceAsked(toTake, subtract),
          admit: onceAsked(toAdmit, subtract),
          admitOwed: onceAsked(ofCatalog ? [ofCatalog] : [], subtract, minimumFree / 2),
          wouldAdmit: onceAsked(toAdmit, requireRoom),
        }),
    check: async (place) => {
      const meter = place === "store" ? ofStore : ofCatalog
      await meter?.ask()
      if (meter?.fits(1) === false) throw meter.describeShortage()
    },
  }
}
