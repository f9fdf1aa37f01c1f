/*
 * Preloaded into an ingest: prints each flush of a file or folder when it has ended, each change of a file's name, each
 * commit of the catalog and each answer, one JSON line each, in the order they happen.
 */
import fs from "node:fs"
import { open } from "node:fs/promises"
import { ServerResponse } from "node:http"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"

/** One step on the way to an answer. */
export type Step =
  | { readonly step: "flush" | "rename"; readonly path: string }
  | { readonly step: "commit" }
  | { readonly step: "answer"; readonly status: number }

/** ms a flush takes longer here, so that whoever does not wait for it is found out. */
const slowness = 50

const print = (step: Step) => fs.writeSync(1, `${JSON.stringify(step)}\n`)
const pathOf = (descriptor: number) => fs.readlinkSync(`/proc/self/fd/${descriptor}`)

const probe = await open(process.execPath, "r")
const FileHandle = Object.getPrototypeOf(probe) as Record<"sync" | "datasync", (this: { fd: number }) => Promise<void>>
await probe.close()
for (const name of ["sync", "datasync"] as const) {
  const original = FileHandle[name]
  FileHandle[name] = async function () {
    const path = pathOf(this.fd)
    await original.call(this)
    // Folders are the slowest.
    await sleep(name === "sync" ? 6 * slowness : slowness)
    print({ step: "flush", path })
  }
}
const { fdatasync, promises } = fs
fs.fdatasync = ((descriptor: number, done: (cause: Error | null) => void) => {
  const path = pathOf(descriptor)
  fdatasync(descriptor, (cause) => {
    setTimeout(() => {
      print({ step: "flush", path })
      done(cause)
    }, slowness)
  })
}) as typeof fs.fdatasync
const { rename } = promises
promises.rename = async (from, to) => {
  await rename(from, to)
  print({ step: "rename", path: String(to) })
}

const { prepare } = DatabaseSync.prototype
DatabaseSync.prototype.prepare = function (sql) {
  const statement = prepare.call(this, sql)
  if (sql === "COMMIT") {
    const { run } = statement
    statement.run = (...values) => {
      const changes = Reflect.apply(run, statement, values) as ReturnType<typeof run>
      print({ step: "commit" })
      return changes
    }
  }
  return statement
}

const { writeHead } = ServerResponse.prototype
ServerResponse.prototype.writeHead = function (this: ServerResponse, status: number, ...rest: Array<never>) {
  print({ step: "answer", status })
  return writeHead.call(this, status, ...rest)
} as typeof writeHead
