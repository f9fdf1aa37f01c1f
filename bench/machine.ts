import { existsSync, readFileSync } from "node:fs"
import { cpus, totalmem } from "node:os"
import { join } from "node:path"
import { peersFolder } from "./peers.ts"

/** Where and with what was measured. Nothing in it tells whose machine it was. */
export interface Machine {
  /** ISO 8601. */
  readonly date: string
  readonly node: string
  readonly cpu: string
  readonly memory: string
  /** How much of its processors' time others used meanwhile, 0 to 1. Undefined where the kernel does not say. */
  readonly others?: number
  readonly versions: Readonly<Record<string, string>>
}

const versionOf = (folder: string): string =>
  (JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) as { version: string }).version

export const describeMachine = (): Machine => {
  const root = join(import.meta.dirname, "..")
  const installed = (name: string) => versionOf(join(peersFolder, "node_modules", name))
  return {
    date: new Date().toISOString(),
    node: process.version,
    cpu: `${cpus().length} × ${cpus()[0]?.model.trim() ?? "unknown"}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    versions: {
      sluice: versionOf(root),
      uploadthing: installed("uploadthing"),
      "@better-upload/server": installed("@better-upload/server"),
      "@tus/server": installed("@tus/server"),
      "@tus/file-store": installed("@tus/file-store"),
      "@tus/s3-store": installed("@tus/s3-store"),
      "tus-js-client": installed("tus-js-client"),
      send: installed("send"),
      hono: installed("hono"),
      zod: installed("zod"),
      "@uppy/dashboard": installed("@uppy/dashboard"),
      filepond: installed("filepond"),
      "filepond-plugin-image-preview": installed("filepond-plugin-image-preview"),
      typescript: versionOf(join(root, "node_modules/typescript")),
    },
  }
}

/** Ticks of the kernel's clock: of all processors, and of this process with those that it waited for. */
const readTicks = () => {
  const [line = ""] = readFileSync("/proc/stat", "utf8").split("\n")
  const [user, nice, system, idle, wait, hardware, software, stolen] = line.split(/\s+/).slice(1).map(Number) as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ]
  const busy = user + nice + system + hardware + software + stolen
  const stat = readFileSync("/proc/self/stat", "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0)
  return { busy, own, all: busy + idle + wait }
}

/** Begins to look at who uses the processors; the answer of what it gives is {@link Machine.others}. */
export const watchOthers = (): (() => { readonly others?: number }) => {
  if (!existsSync("/proc/stat")) return () => ({})
  const before = readTicks()
  return () => {
    const after = readTicks()
    const used = after.busy - before.busy - (after.own - before.own)
    return { others: Math.max(0, used / (after.all - before.all)) }
  }
}
