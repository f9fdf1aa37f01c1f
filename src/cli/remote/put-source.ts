import { readdir, stat } from "node:fs/promises"
import { basename, join, resolve } from "node:path"
import { fileFromPath, type UploadableFile, UploadError } from "../../client.node.ts"
import { readLabels } from "../../protocol.ts"
import { describeSystemError } from "../command-failure.ts"
import type { Failure } from "./failure.ts"
import type { PutOptions } from "./put-options.ts"

/** A file that is to be uploaded, or why it is not. */
export interface PutSource {
  /** As the user would write it; "-" is standard input. */
  readonly path: string
  /** Where it is filed. */
  readonly storedPath: string | undefined
  readonly failure?: Failure
}

/** What is left in a folder and was not uploaded, and how much of each. */
export interface LeftOut {
  /** Files and folders whose name begins with a dot. */
  hidden: number
  links: number
  /** Pipes, devices and the like. */
  others: number
}

/** What `sluice put` uploads. */
export interface PutSources {
  readonly sources: ReadonlyArray<PutSource>
  /** By folder. */
  readonly leftOut: ReadonlyMap<string, LeftOut>
  /** Folders without a file to upload. */
  readonly empty: ReadonlyArray<string>
}

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => undefined))?.isDirectory() ?? false

const byName = <A extends { readonly name: string }>(a: A, b: A): number => (a.name < b.name ? -1 : 1)

/** A file, with what is wrong with the path that it would be filed under. */
const toSource = (path: string, storedPath: string | undefined): PutSource => {
  const read = readLabels({ path: storedPath })
  if (read.ok) return { path, storedPath }
  const message = `It cannot be filed under ${JSON.stringify(storedPath)}. ${read.detail} Give it another name, or say where it goes with --path.`
  return { path, storedPath: undefined, failure: { code: "BAD_REQUEST", message } }
}

/**
 * The files in a folder and in those below it, in the order of their names. Hidden ones and links are left out: a folder
 * may hold what nobody means to upload, and a link may lead anywhere.
 *
 * @param way what the files are filed under: empty, or with a `/` at its end
 */
async function* walk(folder: string, way: string, leftOut: LeftOut): AsyncGenerator<PutSource, void> {
  let entries
  try {
    entries = await readdir(folder, { withFileTypes: true })
  } catch (error) {
    const message = `The folder cannot be read: ${describeSystemError(error)}.`
    yield { path: folder, storedPath: undefined, failure: { code: "BAD_REQUEST", message } }
    return
  }
  for (const entry of entries.toSorted(byName)) {
    const path = join(folder, entry.name)
    if (entry.name.startsWith(".")) leftOut.hidden++
    else if (entry.isSymbolicLink()) leftOut.links++
    else if (entry.isDirectory()) yield* walk(path, `${way}${entry.name}/`, leftOut)
    else if (entry.isFile()) yield toSource(path, way + entry.name)
    else leftOut.others++
  }
}

/**
 * The files that are meant, in the order that they are uploaded in. A path that the user names is taken as it is, hidden
 * or a link.
 */
export const findSources = async (
  paths: ReadonlyArray<string>,
  { recursive, name, path: storedPath, prefix }: PutOptions,
): Promise<PutSources> => {
  const sources: Array<PutSource> = []
  const leftOut = new Map<string, LeftOut>()
  const empty: Array<string> = []
  for (const path of paths) {
    if (recursive && path !== "-" && (await isFolder(path))) {
      const before = sources.length
      const left: LeftOut = { hidden: 0, links: 0, others: 0 }
      for await (const source of walk(path, prefix ?? "", left)) sources.push(source)
      leftOut.set(path, left)
      if (sources.length === before) empty.push(path)
      continue
    }
    const own = name ?? (path === "-" ? "stdin" : basename(resolve(path)))
    sources.push(toSource(path, prefix === undefined ? storedPath : prefix + own))
  }
  return { sources, leftOut, empty }
}

/**
 * The file at a path. It is opened only while it is sent.
 *
 * Fails: rejects with an UploadError where there is none, it is a folder, or it cannot be read.
 */
export const openPath = async (path: string, { name, type }: PutOptions): Promise<UploadableFile> => {
  const full = resolve(path)
  const stats = await stat(full).catch(() => undefined)
  if (stats?.isDirectory()) {
    const message = "It is a folder. To upload the files in it: -r"
    throw new UploadError({ code: "BAD_REQUEST", message })
  }
  if (stats !== undefined && !stats.isFile()) {
    const message = `It is not a regular file. Give it on standard input: \`sluice put - < …\``
    throw new UploadError({ code: "BAD_REQUEST", message })
  }
  return fileFromPath(full, { name, type })
}

/** The bytes of those that are files, to measure the progress. */
export const sumSizes = async (sources: ReadonlyArray<PutSource>): Promise<number> => {
  let sum = 0
  for (const { path, failure } of sources) {
    const stats = failure === undefined && path !== "-" ? await stat(path).catch(() => undefined) : undefined
    if (stats?.isFile()) sum += stats.size
  }
  return sum
}
