/*
 * Preloaded into each server: counts the requests it is sent, the transactions of its catalog and its flushes, and tells
 * whoever started it when asked. It changes one function call for each, which is far below what is measured.
 */
import { subscribe } from "node:diagnostics_channel"
import fs from "node:fs"
import { open } from "node:fs/promises"
import { syncBuiltinESMExports } from "node:module"
import { DatabaseSync } from "node:sqlite"
import { isMainThread } from "node:worker_threads"

export interface Counts {
  readonly requests: number
  readonly transactions: number
  readonly flushes: number
}

const counts = { requests: 0, transactions: 0, flushes: 0 }

const countFlushes = async (): Promise<void> => {
  const { fdatasync, fsync } = fs
  fs.fdatasync = ((...args: Parameters<typeof fdatasync>) => {
    counts.flushes++
    fdatasync(...args)
  }) as typeof fdatasync
  fs.fsync = ((...args: Parameters<typeof fsync>) => {
    counts.flushes++
    fsync(...args)
  }) as typeof fsync
  const probe = await open(process.execPath, "r")
  const FileHandle = Object.getPrototypeOf(probe) as Record<"sync" | "datasync", () => Promise<void>>
  await probe.close()
  for (const name of ["sync", "datasync"] as const) {
    const flush = FileHandle[name]
    FileHandle[name] = function (this: unknown) {
      counts.flushes++
      return flush.call(this)
    }
  }
  syncBuiltinESMExports()
}

const countTransactions = (): void => {
  const { prepare } = DatabaseSync.prototype
  DatabaseSync.prototype.prepare = function (sql) {
    const statement = prepare.call(this, sql)
    if (sql !== "COMMIT") return statement
    const { run } = statement
    statement.run = (...values) => {
      counts.transactions++
      return Reflect.apply(run, statement, values) as ReturnType<typeof run>
    }
    return statement
  }
}

if (isMainThread) {
  subscribe("http.server.request.start", () => counts.requests++)
  await countFlushes()
  countTransactions()
  process.on("message", () => process.send?.(counts))
  // A server that has nothing else to do may end.
  process.channel?.unref()
}
