import type { Write } from "../../server-kit/logging.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { type BlobStore, BlobStoreError } from "../storage/blob-store.ts"
import { type Catalog, CatalogError, type UploadRecord } from "../storage/catalog/catalog.ts"
import type { FreeSpace } from "../storage/free-space.ts"
import type { LimitedLog } from "./limited-log.ts"
import type { Metrics } from "./metrics.ts"
import type { OutageWatch } from "./outage.ts"
import { traceIdOf } from "../../protocol/trace-context.ts"
import { wrapPort } from "../storage/wrap-port.ts"

/** Where observers of the storage write to. */
interface Observers {
  readonly metrics: Metrics
  readonly write: Write
  readonly outage: OutageWatch
}

const isFenced = (cause: unknown): boolean => BlobStoreError.is(cause) && cause.reason === "fenced"

/** Counts operations that fail, and logs when a port begins to fail and when it works again. */
const watchErrors = <Port extends object>(
  { metrics, outage }: Observers,
  storage: "blobs" | "catalog",
  port: Port,
): Port =>
  wrapPort(port, (operation, run) => {
    if (operation === "close") outage.end()
    const result = run()
    result.then(outage.succeeded, (cause: unknown) => {
      if (isFenced(cause)) return
      metrics.storageErrors.cell(storage, operation).add()
      // A bucket that lets nothing be removed works otherwise, and whoever removes says so.
      if (operation !== "remove") outage.failed(operation, cause)
    })
    return result
  })

/** Wraps a store so that its operations are counted, and its outages logged. */
export const observeStore = (store: BlobStore, observers: Observers): BlobStore => {
  const { metrics } = observers
  const counted = watchErrors(observers, "blobs", store)
  return {
    ...counted,
    append: async (key, append) => {
      const appended = await counted.append(key, append)
      metrics.receivedBytes.add(appended.offset - append.offset)
      return appended
    },
    finish: async (key, finish) => {
      const startedAt = performance.now()
      const finished = await counted.finish(key, finish)
      metrics.finishDuration.observe((performance.now() - startedAt) / 1000)
      return finished
    },
    remove: async (key, known) => {
      await counted.remove(key, known)
      metrics.reclaimed.add()
    },
  }
}

/** Wraps the room of store and catalog so that it is logged when none is left: then no operation of theirs fails. */
export const observeSpace = (
  { take, admit, admitOwed, wouldAdmit, check }: FreeSpace,
  outages: { readonly store: OutageWatch; readonly catalog: OutageWatch },
): FreeSpace => {
  const fail = (error: unknown): never => {
    const cause = error instanceof Rejected ? error.cause : error
    if (CatalogError.is(cause)) outages.catalog.failed("begin", cause)
    else outages.store.failed("append", cause)
    throw error
  }
  const observe =
    (reserve: FreeSpace["take"]): FreeSpace["take"] =>
    (length) => {
      try {
        return reserve(length)?.catch(fail)
      } catch (error) {
        return fail(error)
      }
    }
  // Whoever checks tells the watch, as with the probe of a port.
  return {
    check,
    take: observe(take),
    admit: observe(admit),
    admitOwed: observe(admitOwed),
    wouldAdmit: observe(wouldAdmit),
  }
}

/** Wraps a catalog so that the transitions of files and events are counted, and logged, and its outages logged. */
export const observeCatalog = (
  catalog: Catalog,
  observers: Observers & { readonly limitedLog: Pick<LimitedLog, "log"> },
): Catalog => {
  const { metrics, write, limitedLog } = observers
  const counted = watchErrors(observers, "catalog", catalog)

  const timeCommit = async <A>(commit: Promise<A>): Promise<A> => {
    const startedAt = performance.now()
    const committed = await commit
    metrics.commitDuration.observe((performance.now() - startedAt) / 1000)
    return committed
  }

  const noteStored = ({ file, registration }: UploadRecord): void => {
    metrics.endedUploads.cell("stored").add()
    metrics.uploadSize.observe(file.size)
    const trace = registration?.trace && { trace: traceIdOf(registration.trace) }
    write("Debug", "A file is stored.", [{ key: file.key, size: file.size, ...trace }])
  }

  return {
    ...counted,
    ...(catalog.processes && { processes: watchErrors(observers, "catalog", catalog.processes) }),
    commit: async (commit) => {
      const committed = await timeCommit(counted.commit(commit))
      if (committed.kind === "committed") {
        metrics.uploadDuration.observe((commit.now - committed.upload.file.createdAt) / 1000)
        noteStored(committed.upload)
      }
      return committed
    },
    commitWhole: async (commit) => {
      const committed = await timeCommit(counted.commitWhole(commit))
      if (committed.kind === "committed") {
        metrics.receivedBytes.add(commit.bytes.length)
        noteStored(committed.upload)
      }
      return committed
    },
    fail: async (fail) => {
      const hasFailed = await counted.fail(fail)
      if (hasFailed) {
        const { code, message: reason } = fail.failure
        metrics.endedUploads.cell(code).add()
        limitedLog.log("uploadFailed", code, "An upload has failed.", () => [{ key: fail.key, code, reason }])
      }
      return hasFailed
    },
    recordAttempt: async (attempt) => {
      const isKept = await counted.recordAttempt(attempt)
      const { outcome, latency } = attempt
      metrics.callbackAttempts.cell(typeof outcome === "string" ? outcome : "failed").add()
      metrics.callbackDuration.observe(latency / 1000)
      return isKept
    },
    recordEventAttempt: async (attempt) => {
      const isNewest = await counted.recordEventAttempt(attempt)
      const { outcome } = attempt
      metrics.endpointAttempts.cell(typeof outcome === "string" ? outcome : "failed").add()
      return isNewest
    },
    expire: async (expire) => {
      const count = await counted.expire(expire)
      metrics.abandoned.add(count)
      metrics.lastSweep.set(expire.now / 1000)
      if (count > 0) write("Info", "Abandoned uploads and registrations were ended.", [{ count }])
      return count
    },
    deleteFiles: async (deletion) => {
      const keys = await counted.deleteFiles(deletion)
      if (keys.length > 0) {
        const { appId: app } = deletion
        limitedLog.log("deleted", app, "An app has deleted files.", () => [{ app, count: keys.length }])
      }
      return keys
    },
  }
}
