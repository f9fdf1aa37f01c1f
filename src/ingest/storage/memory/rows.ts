import type { DeletionRecord } from "../catalog/deletions.ts"
import type { AppRecord } from "../catalog/apps.ts"
import type { EndpointEvent, EndpointRecord } from "../catalog/endpoints.ts"
import type {
  AttemptRecord,
  DeliveryRecord,
  DueDelivery,
  FileRecord,
  RegistrationRecord,
  ResultRecord,
  Tombstone,
} from "../catalog/records.ts"

/** A file with everything that belongs to it, in memory. */
export interface Row {
  file: FileRecord
  /** Set when the upload ends; until then the registration is among the expected ones. */
  registration: Registered | null
  delivery: (DeliveryRecord & { readonly redeliveredAfter: number; readonly registration: Registered }) | null
  result: ResultRecord | null
  resultAt: number | null
  hasBytes: boolean
  /** Until when a URL for the key may be valid, where that is later than what the file says. */
  urlsEnd: number
}

/**
 * A row that tells of every change of its file, or of what the file is registered with.
 *
 * @param note is called after a change, with the row as it was
 */
export const createRow = (
  first: FileRecord,
  note: (row: Row, before: Pick<Row, "file" | "registration">) => void,
): Row => {
  let file = first
  let registration: Registered | null = null
  const row: Row = {
    get file() {
      return file
    },
    set file(next) {
      const before = { file, registration }
      file = next
      note(row, before)
    },
    get registration() {
      return registration
    },
    set registration(next) {
      const before = { file, registration }
      registration = next
      note(row, before)
    },
    delivery: null,
    result: null,
    resultAt: null,
    hasBytes: true,
    urlsEnd: 0,
  }
  return row
}

/** What an app said about some of its files. */
export interface Registered extends RegistrationRecord {
  readonly appId: string
  readonly registeredAt: number
  /** How many bytes it counts in the catalog, without its keys. */
  readonly bytes: number
}

/** What an endpoint is owed, or was. */
export interface KeptEvent extends EndpointEvent {
  readonly redeliveredAfter: number
}

/** A {@link Tombstone}, and whether there was a file. */
export interface Grave extends Tombstone {
  readonly appId: string
  readonly key: string
  readonly hadFile: boolean
}

/** A registration whose upload has not ended. */
export interface Expected {
  readonly registration: Registered
  /** When the newest URL expires, ms since the epoch. */
  readonly expires: number
  /** How many bytes it counts among the announced ones. */
  readonly bytes: number
}

/** The registrations that wait for their uploads to end, each by a key and the id in its URLs. */
export const createExpected = () => {
  const waiting = new Map<string, Map<string, Expected>>()
  type Upload = Pick<FileRecord, "key" | "registrationId">

  const find = ({ key, registrationId }: Upload): Expected | undefined => waiting.get(key)?.get(registrationId ?? "")
  const remove = ({ key, registrationId }: Upload): void => {
    const ofKey = waiting.get(key)
    ofKey?.delete(registrationId ?? "")
    if (ofKey?.size === 0) waiting.delete(key)
  }

  const ofKey = (key: string): ReadonlyArray<Upload & Expected> =>
    [...(waiting.get(key) ?? [])].map(([id, each]) => ({ key, registrationId: id === "" ? null : id, ...each }))

  return {
    find,
    remove,
    ofKey,
    /** Deletes everything for a key; false where nothing was expected. */
    forget: (appId: string, key: string): boolean => {
      const forgotten = ofKey(key).filter(({ registration }) => registration.appId === appId)
      for (const each of forgotten) remove(each)
      return forgotten.length > 0
    },
    set: ({ key, registrationId }: Upload, { registration, expires, bytes }: Expected): void => {
      const ofKey = waiting.get(key) ?? new Map<string, Expected>()
      const latest = Math.max(expires, ofKey.get(registrationId ?? "")?.expires ?? 0)
      waiting.set(key, ofKey.set(registrationId ?? "", { registration, expires: latest, bytes }))
    },
    all: (): ReadonlyArray<Upload & Expected> => [...waiting.keys()].flatMap(ofKey),
  }
}

/** The event of a row that has one, as a claimed delivery. */
export const toDue = (row: Row): DueDelivery => ({
  id: row.delivery!.id,
  hook: row.delivery!.hook,
  attempt: row.delivery!.attempts,
  retry: row.delivery!.attempts - row.delivery!.redeliveredAfter - 1,
  file: row.file,
  registration: row.delivery!.registration,
})

/** All data of the catalog. */
export const createTables = () => ({
  /** The current file of each key. */
  rows: new Map<string, Row>(),
  /** The current rows, and failed files whose key was taken over by a new upload. */
  allRows: new Set<Row>(),
  /** The bytes of small files, by the ids of the files. */
  contents: new Map<number, Uint8Array>(),
  expected: createExpected(),
  /** By {@link graveOf}. */
  graves: new Map<string, Grave>(),
  /** By their ids, oldest first. */
  deletions: new Map<number, DeletionRecord & { readonly appId: string }>(),
  /** Oldest first. */
  attempts: new Array<AttemptRecord>(),
  apps: new Map<string, AppRecord>(),
  /** By their ids, oldest first. */
  endpoints: new Map<string, EndpointRecord>(),
  /** By their ids, oldest first. */
  events: new Map<string, KeptEvent>(),
  /** How many events there have been. */
  eventNumbers: { last: 0 },
  /** How many registrations there have been. */
  registrations: { count: 0 },
})

export type Tables = ReturnType<typeof createTables>

/** The key under which a tombstone is stored. */
export const graveOf = (appId: string, key: string): string => JSON.stringify([appId, key])
