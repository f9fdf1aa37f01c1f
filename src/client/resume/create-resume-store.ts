import type { Json } from "../../protocol/json.ts"
import { limits } from "../../protocol/limits.ts"
import { cancelStored } from "../../transfer/cancel-stored.ts"
import { createFileHandles } from "./file-handles.ts"
import { createFilesInUse } from "./files-in-use.ts"
import { fingerprint } from "./fingerprint.ts"
import { createResumeChanges } from "./resume-changes.ts"
import { createResumeLocks } from "./resume-locks.ts"
import { createResumeRecords, type ResumeRecord } from "./resume-records.ts"
import { createShownUploads, toSender } from "./shown-uploads.ts"
import type { InterruptedUpload, ResumeEntry, ResumeEntryOptions, ResumeStore, PickedHandle } from "./resume-store.ts"

/** How interrupted uploads are remembered. */
export interface ResumeStoreOptions {
  /** Name of the database and prefix of the locks. Default `sluice-resume`. */
  readonly name?: string | undefined
  /**
   * Whose uploads these are: the id of the signed-in user. Give it wherever several people may use one browser. A
   * remembered upload can be resumed by anybody who has it: without a scope, the next user who picks the same file
   * would resume the previous user's upload, and {@link ResumeStore.list} would show its name.
   *
   * A function is asked each time: for a store that is made before anybody has signed in, as that of `createUploads`. Where
   * a component renders it has to be the same function each time.
   * While it returns undefined nobody is signed in: nothing is remembered, and nothing listed.
   */
  readonly scope?: string | (() => string | undefined) | undefined
  /**
   * How long an upload is remembered after its URL was signed or renewed, in ms. Default 25 hours: by default a URL is
   * valid for an hour, and can be renewed for 24 more.
   */
  readonly maxAge?: number | undefined
}

/** The entry where nothing can be kept. */
const forgetful: ResumeEntry = {
  kept: undefined,
  keep: async (upload) => upload,
  exclusively: (work) => work(),
  forget: async () => {},
}

/** How often sent bytes are recorded, in ms. */
const countEvery = 500

/**
 * The stores of this page, by the function that tells the scope, if there is one: the same store for the same options, so
 * that they can be made while a component renders.
 */
const made = new WeakMap<object, Map<string, ResumeStore>>()

/**
 * Remembers uploads in this browser, over a reload of the page and a crash: the `resumeStore` of `generateUploader`.
 *
 * A file is recognised when it is chosen again, by its name, size, time and its first and last 64 KiB; of several tabs
 * with the same file one sends it and the others wait. Of files of one page that look the same (copies in several folders)
 * each is uploaded, and one of them is remembered. Only a `File` of the browser is remembered.
 *
 * The same options return the same object, so `createResumeStore({ scope: userId })` may be called while a component
 * renders.
 *
 * Shape: IndexedDB, see `ResumeRecord`; the signed URLs in it are secrets, as a cookie is. Web Locks.
 * Fails: never. Where IndexedDB, Web Locks or Web Crypto is missing (no secure context, a private window), or has not
 *        answered for five seconds, nothing is remembered and uploads work as without it.
 */
export const createResumeStore = (options: ResumeStoreOptions = {}): ResumeStore => {
  const { name = "sluice-resume", scope = "", maxAge = limits.presignedUrlTtl + limits.renewWindow } = options
  const isAsked = typeof scope === "function"
  const make = () => makeStore(name, isAsked ? scope : () => scope, maxAge)
  // A server renders for many users, and remembers none of them. A page that is forbidden to use it, as in a sandbox, would get an
  // error where it reads the property.
  if (!("indexedDB" in globalThis)) return make()
  const by = isAsked ? scope : made
  const stores = made.get(by) ?? new Map<string, ResumeStore>()
  // A function, which JSON writes as null, has stores of its own.
  const id = JSON.stringify([name, scope, maxAge])
  const present = stores.get(id) ?? make()
  made.set(by, stores.set(id, present))
  return present
}

/** What the stores of one database share. */
const makeParts = (name: string) => {
  const locks = createResumeLocks(name)
  const changes = createResumeChanges(name)
  return {
    records: createResumeRecords(name),
    locks,
    changes,
    handles: createFileHandles(),
    inUse: createFilesInUse(),
    shown: createShownUploads(locks, changes.tell),
    /** The locks of other pages that are waited for. */
    awaited: new Set<string>(),
  }
}
const parts = new Map<string, ReturnType<typeof makeParts>>()

const makeStore = (name: string, readScope: () => string | undefined, maxAge: number): ResumeStore => {
  const shared = parts.get(name) ?? makeParts(name)
  parts.set(name, shared)
  const { records, locks, changes, handles, inUse, shown, awaited } = shared
  const isOld = ({ keptAt }: ResumeRecord) => keptAt + maxAge <= Date.now()

  /** A tab that is closed tells nobody: its lock does. */
  const waitFor = (lock: string) => {
    if (awaited.has(lock)) return
    awaited.add(lock)
    void locks
      .released(lock)
      .catch(() => {})
      .then(() => awaited.delete(lock) && changes.tell())
  }

  const openFile = async (options: ResumeEntryOptions, file: File): Promise<ResumeEntry> => {
    const scope = readScope()
    if (scope === undefined) return forgetful
    const id = await fingerprint(options, file, scope)
    const { webkitRelativePath: path } = file
    /** Whether a remembered upload is of a copy in another folder. */
    const isElsewhere = (record: ResumeRecord) => path !== "" && record.path !== undefined && record.path !== path
    // Without locks two tabs would conflict over the record, so nothing is kept.
    await locks.held()
    const record = await records.get(id)
    const known = record === undefined || isOld(record) ? undefined : record
    if ((known !== undefined && isElsewhere(known)) || (await inUse.isApart(id, file))) return forgetful
    const kept = known?.upload
    /** The key of this entry; undefined while it is not remembered. */
    let key = kept?.key
    /** The key that was to be remembered: that may still happen where the browser has not answered in time. */
    let asked = key
    /** Stands for this entry, among others of the same file. */
    const self = {}
    const { isField } = options
    const { page } = shown
    if (kept !== undefined) {
      inUse.take(id, file, self)
      shown.know(file, id)
      // It is this page's now.
      await records.put(id, (present) => present && { ...present, isField, page })
      changes.tell()
    }

    const keep: ResumeEntry["keep"] = async (upload) => {
      const now = Date.now()
      if (!inUse.isFree(id, file)) return upload
      inUse.take(id, file, self)
      shown.know(file, id)
      asked = upload.key
      let isCopy = false
      const put = (handle: PickedHandle | undefined) =>
        records.put(id, (present) => {
          const valid = present === undefined || isOld(present) ? undefined : present
          isCopy = valid !== undefined && isElsewhere(valid)
          if (isCopy || (valid !== undefined && valid.upload.key !== upload.key)) return undefined
          const same = present?.upload.key === upload.key ? present : undefined
          const { startedAt = now, loaded } = same ?? {}
          const { slug, input } = options
          const { size, type, lastModified } = file
          return {
            id,
            scope,
            upload,
            slug,
            name: file.name,
            size,
            type,
            lastModified,
            input: input as Json | undefined,
            path: path || present?.path,
            startedAt,
            loaded,
            keptAt: now,
            handle: handle ?? present?.handle,
            isField,
            page,
          }
        })
      const handle = handles.of(file)
      // Not every browser that has handles can store them.
      const there = await put(handle).catch((error: unknown) => {
        if (handle === undefined) throw error
        return put(undefined)
      })
      if (isCopy) {
        inUse.release(id, self)
        shown.forget(file)
        return upload
      }
      const used = there?.upload ?? upload
      key = asked = used.key
      return used
    }

    let latest = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const count = () => {
      timer = undefined
      const loaded = latest
      records
        .put(id, (present) =>
          present !== undefined && present.upload.key === key ? { ...present, loaded } : undefined,
        )
        .catch(() => {}) // It is only a figure for display.
    }
    const advance = (loaded: number) => {
      latest = loaded
      timer ??= setTimeout(count, countEvery)
    }

    return {
      kept,
      keep,
      advance,
      exclusively: async (work, ...rest) => {
        if (key === undefined) return work()
        const end = shown.send()
        try {
          return await inUse.sending(id, file, () => locks.exclusively(id, work, ...rest))
        } catch (error) {
          // Nobody works on it, and its list has left the page: whoever is there offers it.
          if (!shown.has(file)) changes.tell()
          throw error
        } finally {
          end()
        }
      },
      forget: () => {
        clearTimeout(timer)
        shown.forget(file)
        // Only then: a file that looks the same would go on with what is still remembered of this one.
        return records
          .remove(id, (present) => present.upload.key === asked)
          .finally(() => {
            inUse.release(id, self)
            // What was never interrupted, nobody offers.
            if (kept !== undefined) changes.tell()
          })
      },
    }
  }

  const toInterrupted = (record: ResumeRecord): InterruptedUpload => {
    const { id, slug, size, loaded, type, lastModified, input, startedAt, handle, isField } = record
    const about = { id, slug, name: record.name, size, loaded, type, lastModified, input, startedAt, isField }
    return handle === undefined ? about : { ...about, reopen: () => handles.reopen(handle, record) }
  }

  return {
    open: async (options) => {
      const { file } = options
      if (!(file instanceof File)) return forgetful
      return openFile(options, file).catch(() => forgetful)
    },
    list: async (slug) => {
      try {
        const scope = readScope()
        const [all, held] = await Promise.all([records.list(), locks.held()])
        const here = shown.ids()
        const isElsewhere = ({ page }: ResumeRecord) => page !== undefined && page !== shown.page && held.has(page)
        const isTaken = (record: ResumeRecord) => held.has(record.id) || here.has(record.id) || isElsewhere(record)
        const pages = new Set(all.map(({ page = shown.page }) => page))
        pages.delete(shown.page)
        for (const page of pages) {
          const lock = [page, toSender(page)].find((name) => held.has(name))
          if (lock !== undefined) waitFor(lock)
        }
        const isOver = (record: ResumeRecord) => isOld(record) && !held.has(record.id)
        await Promise.all(all.filter(isOver).map(({ id }) => records.remove(id, isOld)))
        return all
          .filter((record) => !isOld(record) && !isTaken(record) && record.scope === scope)
          .filter((record) => slug === undefined || record.slug === slug)
          .toSorted((a, b) => b.startedAt - a.startedAt)
          .map(toInterrupted)
      } catch {
        return []
      }
    },
    remove: async (id) => {
      let url: string | undefined
      const isMeant = ({ upload }: ResumeRecord) => Boolean((url = upload.url))
      await records.remove(id, isMeant).catch(() => {})
      changes.tell()
      if (url !== undefined) void cancelStored(async (...request) => fetch(...request), url)
    },
    attachHandle: handles.attach,
    occupy: shown.occupy,
    subscribe: changes.subscribe,
  }
}
