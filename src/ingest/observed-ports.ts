import type { Write } from "../http/logging.ts"
import { type BlobStore, BlobStoreError } from "./blob-store.ts"
import type { Catalog } from "./catalog.ts"
import type { Metrics } from "./metrics.ts"
import { traceIdOf } from "./tracing.ts"
import { wrapPort } from "./wrap-port.ts"

/** What those who watch the storage write to. */
interface Observers {
  readonly metrics: Metrics
  readonly write: Write
}

const isFenced = (cause: unknown): boolean => cause instanceof BlobStoreError && cause.reason === "fenced"

/** Counts operations that fail. */
const countErrors = <Port extends object>({ metrics }: Observers, storage: string, port: Port): Port =>
  wrapPort(port, (operation, run) => {
    const result = run()
    result.catch((cause: unknown) => {
      if (!isFenced(cause)) metrics.storageErrors.cell(storage, operation).add()
    })
    return result
  })

/** A store that counts what goes through it. */
export const observeStore = (store: BlobStore, observers: Observers): BlobStore => {
  const counted = countErrors(observers, "blobs", store)
  const { metrics } = observers
  return {
    ...counted,
    append: async (key, append) => {
      const appended = await counted.append(key, append)
      metrics.receivedBytes.add(appended.offset - append.offset)
      return appended
    },
    finish: async (key, finish) => {
      const startedAt = performance.now()
      await counted.finish(key, finish)
      metrics.flushDuration.observe((performance.now() - startedAt) / 1000)
    },
    remove: async (key) => {
      await counted.remove(key)
      metrics.reclaimed.add()
    },
  }
}

/** A catalog that counts the transitions of files and events, and tells the operator's log of them. */
export const observeCatalog = (catalog: Catalog, observers: Observers): Catalog => {
  const counted = countErrors(observers, "catalog", catalog)
  const { metrics, write } = observers
  return {
    ...counted,
    commit: async (commit) => {
      const startedAt = performance.now()
      const committed = await counted.commit(commit)
      metrics.commitDuration.observe((performance.now() - startedAt) / 1000)
      if (committed.kind === "committed") {
        const { file, registration } = committed.upload
        const { key, size } = file
        const ms = commit.now - file.createdAt
        metrics.endedUploads.cell("stored").add()
        metrics.uploadDuration.observe(ms / 1000)
        metrics.uploadSize.observe(size)
        write("Info", "A file is stored.", [
          { key, size, ms, ...(registration?.trace && { trace: traceIdOf(registration.trace) }) },
        ])
      }
      return committed
    },
    fail: async (fail) => {
      const hasFailed = await counted.fail(fail)
      if (hasFailed) {
        const { code, message: reason } = fail.failure
        metrics.endedUploads.cell(code).add()
        write("Info", "An upload has failed.", [{ key: fail.key, code, reason }])
      }
      return hasFailed
    },
    recordAttempt: async (attempt) => {
      await counted.recordAttempt(attempt)
      const { outcome, latency } = attempt
      metrics.callbackAttempts.cell(typeof outcome === "string" ? outcome : "failed").add()
      metrics.callbackDuration.observe(latency / 1000)
    },
    expire: async (expire) => {
      const count = await counted.expire(expire)
      metrics.abandoned.add(count)
      metrics.lastSweep.set(expire.now / 1000)
      if (count > 0) write("Info", "What nobody finished was ended.", [{ count }])
      return count
    },
  }
}
