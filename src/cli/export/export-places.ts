import type { Stats } from "node:fs"
import { lstat, mkdir } from "node:fs/promises"
import { join } from "node:path"
import type { FileRecord } from "../../ingest.ts"
import { isSystemError } from "../command-failure.ts"
import { toSafeName } from "../remote/safe-name.ts"
import { indexName } from "./export-index.ts"

/** The name with a number: `beach.jpg`, `beach (2).jpg`. */
const numberName = (name: string, number: number): string => {
  if (number === 1) return name
  const [, base = name, extension = ""] = /^(.+?)(\.[^.]{1,16})?$/su.exec(name) ?? []
  return `${base} (${number})${extension}`
}

/** Paths that are one on some file system: of other case, or of the same characters put together otherwise. */
const toPlace = (path: string): string => path.normalize("NFC").toLowerCase()

const below = (folder: string, name: string): string => (folder === "" ? name : `${folder}/${name}`)

/** `.png`; empty where there is none. */
const extensionOf = (name: string): string => /[^.](\.[^.\s]{1,16})$/u.exec(name)?.[1] ?? ""

/**
 * Where a file goes in a folder, by its path, else its name, of which nothing leads out of the folder. A path without an
 * extension, as `profile/portrait`, gets that of the name.
 */
export const toSafePath = ({ key, name, path }: Pick<FileRecord, "key" | "name" | "path">): ReadonlyArray<string> => {
  const segments = (path ?? "").split("/").filter((segment) => segment !== "")
  const filed = segments.pop()
  const own = filed === undefined || extensionOf(filed) !== "" ? "" : extensionOf(name)
  const last = toSafeName(`${filed ?? name}${own}`, toSafeName(key, "file"))
  return [...segments.map((segment) => toSafeName(segment, "_")), last]
}

/** A place for a file in the folder of an export. */
export interface Place {
  /** Below the folder, with `/` between its parts. */
  readonly path: string
  /** Whether the file is there already. */
  readonly isThere: boolean
}

/** The places in the folder of an export. */
export interface Places {
  /**
   * A place for a file that no other file of this export has: where nothing is, or where its bytes are by now. Makes the
   * folders on the way.
   *
   * @param isSame whether a file of its size is that file
   */
  readonly find: (file: FileRecord, isSame: (path: string) => Promise<boolean>) => Promise<Place>
  /** Keeps a place. */
  readonly take: (place: Place) => void
  /** Whether a path below the folder is a place that was taken, or a folder on the way to one. */
  readonly has: (path: string) => boolean
  /** The place as the system writes it. */
  readonly toFull: (path: string) => string
}

const lookAt = async (path: string): Promise<Stats | undefined> => {
  try {
    return await lstat(path)
  } catch (error) {
    if (isSystemError(error, "ENOENT")) return undefined
    throw error
  }
}

/** The places in a folder, in which an earlier export may have left files. Nothing that is there is replaced. */
export const createPlaces = (root: string): Places => {
  const taken = new Set([toPlace(indexName)])
  /** By what was wanted: where the folder is. */
  const folders = new Map<string, string>()
  /** By what was wanted: the first number that this export has not taken. */
  const numbers = new Map<string, number>()
  const toFull = (path: string): string => join(root, ...path.split("/"))

  /** Makes a folder, or takes the one that is there; a file of its name gives it a number. */
  const makeFolder = async (parent: string, name: string): Promise<string> => {
    for (let number = 1; ; number++) {
      const path = below(parent, numberName(name, number))
      if (taken.has(toPlace(path))) continue
      try {
        await mkdir(toFull(path), { mode: 0o700 })
      } catch (error) {
        if (!isSystemError(error, "EEXIST")) throw error
        // A link would lead out of the folder.
        if ((await lookAt(toFull(path)))?.isDirectory() !== true) continue
      }
      taken.add(toPlace(path))
      return path
    }
  }

  const openFolder = async (names: ReadonlyArray<string>): Promise<string> => {
    let [wanted, path] = ["", ""]
    for (const name of names) {
      wanted = below(wanted, toPlace(name))
      const known = folders.get(wanted)
      path = known ?? (await makeFolder(path, name))
      folders.set(wanted, path)
    }
    return path
  }

  return {
    find: async (file, isSame) => {
      const names = toSafePath(file)
      const folder = await openFolder(names.slice(0, -1))
      const wanted = below(folder, names.at(-1)!)
      const numbered = (number: number): string => below(folder, numberName(names.at(-1)!, number))
      let first = numbers.get(toPlace(wanted)) ?? 1
      while (taken.has(toPlace(numbered(first)))) first++
      numbers.set(toPlace(wanted), first)
      for (let number = first; ; number++) {
        const path = numbered(number)
        if (taken.has(toPlace(path))) continue
        const there = await lookAt(toFull(path))
        if (there === undefined) return { path, isThere: false }
        if (there.isFile() && there.size === file.size && (await isSame(toFull(path)))) return { path, isThere: true }
      }
    },
    take: ({ path }) => void taken.add(toPlace(path)),
    has: (path) => taken.has(toPlace(path)),
    toFull,
  }
}
