import type { Json } from "../../protocol/json.ts"
import { limits } from "../../protocol/limits.ts"
import type { InterruptedUpload, SessionOptions, UploadSession, UploadSessions } from "../upload-sessions.ts"
import { createFileHandles } from "./file-handles.ts"
import { fingerprint } from "./fingerprint.ts"
import { createSessionLocks } from "./session-locks.ts"
import { createSessionStore, type SessionRecord } from "./session-store.ts"

/** How interrupted uploads are remembered. */
export interface SessionsOptions {
  /** Of the database and the locks. Default `sluice-uploads`. */
  readonly name?: string | undefined
  /**
   * Whose uploads these are: the id of the signed-in user. Give it wherever several people may use one browser. What
   * is remembered lets whoever has it go on with an upload, so that without a scope the next user who picks the same
   * file would go on with the upload of the one before, and {@link UploadSessions.list} would show its name.
   */
  readonly scope?: string | undefined
  /**
   * How long after its URL was signed or renewed an upload is remembered, in ms. Default 25 hours: a URL is valid for
   * an hour unless the route says otherwise, and can be renewed for 24 more.
   */
  readonly maxAge?: number | undefined
}

/** What there is where nothing can be kept. */
const forgetful: UploadSession = {
  kept: undefined,
  keep: async (upload) => upload,
  exclusively: (work) => work(),
  forget: async () => {},
}

/** Between two countings of what has been sent, in ms. */
const countEvery = 500

/** Those of this page: the same for the same options, so that they can be made while a component renders. */
const made = new Map<string, UploadSessions>()

/**
 * Remembers uploads in this browser, over a reload of the page and a crash: the `sessions` of `generateUploader`.
 *
 * A file is recognised when it is given again, by its name, size, time and its first and last 64 KiB; of several tabs
 * with the same file one sends it and the others wait for it. Only a `File` of the browser is remembered.
 *
 * The same options give the same object: `createSessions({ scope: userId })` may stand where a component renders.
 *
 * Shape: IndexedDB, see `SessionRecord`; the signed URLs in it are secrets, as a cookie is. Web Locks.
 * Fails: never. Where one of IndexedDB, Web Locks and Web Crypto is missing (no secure context, a private window)
 *        nothing is remembered and uploads work as without it.
 */
export const createSessions = (options: SessionsOptions = {}): UploadSessions => {
  const { name = "sluice-uploads", scope = "", maxAge = limits.presignedUrlTtl + limits.renewWindow } = options
  // A server renders for many users, and remembers none of them.
  if (globalThis.indexedDB === undefined) return makeSessions(name, scope, maxAge)
  const id = JSON.stringify([name, scope, maxAge])
  const present = made.get(id) ?? makeSessions(name, scope, maxAge)
  made.set(id, present)
  return present
}

const makeSessions = (name: string, scope: string, maxAge: number): UploadSessions => {
  const store = createSessionStore(name)
  const locks = createSessionLocks(name)
  const handles = createFileHandles()
  const isOld = ({ keptAt }: SessionRecord) => keptAt + maxAge <= Date.now()

  const openFile = async (session: SessionOptions, file: File): Promise<UploadSession> => {
    const id = await fingerprint(session, file, scope)
    // Without locks two tabs would fight over what is kept: then nothing is.
    await locks.held()
    const record = await store.get(id)
    const kept = record === undefined || isOld(record) ? undefined : record.upload
    /** The key this session goes by. */
    let key = kept?.key

    const keep: UploadSession["keep"] = async (upload) => {
      const now = Date.now()
      const put = (handle: FileSystemFileHandle | undefined) =>
        store.put(id, (present) => {
          const isOther = present !== undefined && !isOld(present) && present.upload.key !== upload.key
          if (isOther) return undefined
          const same = present?.upload.key === upload.key ? present : undefined
          const { startedAt = now, loaded } = same ?? {}
          const { slug, input } = session
          const { size, type, lastModified } = file
          const about = { slug, name: file.name, size, type, lastModified, input: input as Json | undefined }
          return { id, scope, upload, ...about, startedAt, loaded, keptAt: now, handle: handle ?? present?.handle }
        })
      const handle = handles.of(file)
      // Not every browser that has handles can store them.
      const there = await put(handle).catch((error: unknown) => {
        if (handle === undefined) throw error
        return put(undefined)
      })
      const used = there?.upload ?? upload
      key = used.key
      return used
    }

    let latest = 0
    let timer: ReturnType<typeof setTimeout> | undefined
    const count = () => {
      timer = undefined
      const loaded = latest
      store
        .put(id, (present) =>
          present !== undefined && present.upload.key === key ? { ...present, loaded } : undefined,
        )
        .catch(() => {}) // it is a figure to show, no more
    }
    const advance = (loaded: number) => {
      latest = loaded
      timer ??= setTimeout(count, countEvery)
    }

    return {
      kept,
      keep,
      advance,
      exclusively: (...rest) => locks.exclusively(id, ...rest),
      forget: () => {
        clearTimeout(timer)
        return store.remove(id, (present) => present.upload.key === key)
      },
    }
  }

  const toInterrupted = (record: SessionRecord): InterruptedUpload => {
    const { id, slug, size, loaded, type, lastModified, input, startedAt, handle } = record
    const about = { id, slug, name: record.name, size, loaded, type, lastModified, input, startedAt }
    return handle === undefined ? about : { ...about, reopen: () => handles.reopen(handle, record) }
  }

  return {
    open: async (session) => {
      const { file } = session
      if (!(file instanceof File)) return forgetful
      return openFile(session, file).catch(() => forgetful)
    },
    list: async (slug) => {
      try {
        const [records, held] = await Promise.all([store.list(), locks.held()])
        const isOver = (record: SessionRecord) => isOld(record) && !held.has(record.id)
        await Promise.all(records.filter(isOver).map(({ id }) => store.remove(id, isOld)))
        return records
          .filter((record) => !isOld(record) && !held.has(record.id) && record.scope === scope)
          .filter((record) => slug === undefined || record.slug === slug)
          .toSorted((a, b) => b.startedAt - a.startedAt)
          .map(toInterrupted)
      } catch {
        return []
      }
    },
    remove: async (id) => store.remove(id).catch(() => {}),
    attachHandle: handles.attach,
  }
}
