import type { Stats } from "node:fs"
import { chmod, lstat, readdir, readlink, stat, statfs } from "node:fs/promises"
import { isAbsolute, join, parse, sep } from "node:path"
import { CommandFailure, isSystemError } from "../command-failure.ts"

/** Whether the system tells who may read a folder: not on Windows, where it inherits the rights of its parent. */
export const isAccessKnown = process.platform !== "win32"

/** Bits of a mode: what others may do, and that in this folder users can only rename and remove their own files. */
const [others, writeOfOthers, sticky] = [0o077, 0o002, 0o1000]

/**
 * File systems that show the same mode for everything, whatever the actual rights are: 9p (WSL's drives), FAT, exFAT,
 * NTFS, CIFS, SMB 2.
 */
const withoutModes: ReadonlySet<number> = new Set([
  0x0102_1997, 0x4d44, 0x2011_bab0, 0x5346_544e, 0xff53_4d42, 0xfe53_4d42,
])

/** Whether modes and owners are meaningful on the file system of a path. */
export const hasModes = async (path: string): Promise<boolean> => !withoutModes.has((await statfs(path)).type >>> 0)

/** All names that we ever put into a data folder, and those that a file system has in its root. */
export const isOwnName = (name: string): boolean =>
  /^(\.gitignore|token(\.\d+)?|port|(started-with|catalog-id)\.json(\.\d+\.part)?|backup-id(\.\d+\.part)?|restoring|spare-room|files|(catalog|journal|lock)\.sqlite(-\w+)?|\.doctor-\d+|lost\+found)$/.test(
    name,
  )

const formatMode = ({ mode }: Pick<Stats, "mode">): string => (mode & 0o7777).toString(8).padStart(3, "0")

const split = (path: string): ReadonlyArray<string> => path.split(sep).filter((part) => part !== "")

/** Every existing step on the way to a path, with links followed; the last one is what the path leads to. */
async function* walk(
  path: string,
): AsyncGenerator<{ readonly path: string; readonly info: Stats; readonly parent: Stats }> {
  const { root } = parse(path)
  let [at, pending] = [root, split(path)]
  let parent = await lstat(root)
  const above: Array<Stats> = []
  for (let links = 0; pending.length > 0;) {
    const [name = "", ...rest] = pending
    pending = rest
    if (name === "..") {
      at = join(at, name)
      parent = above.pop() ?? parent
      continue
    }
    const next = join(at, name)
    let info: Stats
    try {
      info = await lstat(next)
    } catch (error) {
      if (isSystemError(error, "ENOENT") || isSystemError(error, "ENOTDIR")) return
      throw error
    }
    yield { path: next, info, parent }
    if (info.isSymbolicLink()) {
      // The system itself gives up at 40.
      if (++links > 40) return
      const target = await readlink(next)
      if (isAbsolute(target)) {
        at = parse(target).root
        parent = await lstat(at)
        above.length = 0
      }
      pending = [...split(target), ...pending]
      continue
    }
    above.push(parent)
    at = next
    parent = info
  }
}

/**
 * Why secrets must not go into a folder, and what to do; undefined where the folder is safe. The folder need not
 * exist.
 *
 * - Nothing on the way to it may be writable by everybody, except with the sticky bit, as in `/tmp`.
 * - Where everybody may write, existing files have to belong to this user or to root: anybody may have made them,
 *   links too.
 * - The folder itself belongs to this user or to root, and not everybody may write in it. Root may use another user's.
 *
 * @param by how the user chooses another folder, `with --data`; empty where it is an argument
 */
export const findExposure = async (path: string, by = " with --data"): Promise<string | undefined> => {
  if (!isAccessKnown) return undefined
  const self = process.geteuid!()
  for await (const { path: step, info, parent } of walk(path)) {
    const isShared = (parent.mode & writeOfOthers) !== 0
    if (isShared && info.uid !== self && info.uid !== 0) {
      return `${step} belongs to another user (uid ${info.uid}) and lies where everybody may write. Choose a folder elsewhere${by}, or remove it if nobody needs it.`
    }
    const isOpen = info.isDirectory() && (info.mode & writeOfOthers) !== 0 && (info.mode & sticky) === 0
    if (isOpen && (await hasModes(step))) {
      return `every user of this machine may write in ${step} (mode ${formatMode(info)}), and so replace what is there. Close it: chmod o-w ${step}`
    }
  }
  const folder = await stat(path).catch(() => undefined)
  // Anything but a folder is refused by the code that uses it.
  if (!folder?.isDirectory()) return undefined
  if ((folder.mode & writeOfOthers) !== 0 && (await hasModes(path))) {
    return `every user of this machine may write in it (mode ${formatMode(folder)}). Choose a folder inside it${by === "" ? "" : `${by}; the ingest makes it`}.`
  }
  if (self !== 0 && folder.uid !== self && folder.uid !== 0) {
    return `it belongs to another user (uid ${folder.uid}). Run this as that user, or choose another folder${by}.`
  }
  return undefined
}

/** Fails: with a {@link CommandFailure} that names the folder, where secrets must not go into it. */
export const requireSafeFolder = async (path: string): Promise<void> => {
  const exposure = await findExposure(path)
  if (exposure !== undefined) throw new CommandFailure(`The data folder ${path} is not safe: ${exposure}`)
}

/**
 * Fails: with a {@link CommandFailure} where root would write into another user's folder, because that user could put
 * links there.
 *
 * @param what is to be done as that user, `Make the backup`
 */
export const requireOwnFolder = async (path: string, what: string): Promise<void> => {
  if (process.getuid?.() !== 0) return
  const { uid } = await stat(path).catch(() => ({ uid: 0 }))
  if (uid === 0 || !(await hasModes(path))) return
  throw new CommandFailure(
    `The folder ${path} belongs to another user (uid ${uid}). ${what} as that user, or choose a folder of root's.`,
  )
}

/** A part of a data folder that other users of this machine can read. */
interface OpenPart {
  readonly path: string
  /** The present and the wanted mode, octal. */
  readonly mode: string
  readonly wanted: string
  /** Whether closing it affects nobody else: false for a folder that holds other things too. */
  readonly isOurs: boolean
}

/** The parts of a folder that other users must not read. */
export interface PrivateParts {
  readonly path: string
  /** Absolute paths. Nothing inside a closed folder can be reached. */
  readonly folders: ReadonlyArray<string>
  readonly files: ReadonlyArray<string>
  /** Whether a name in it is one of ours: a folder that holds other things is not closed. */
  readonly isOwnName: (name: string) => boolean
}

/** The parts of a folder, and the folder itself, that are open to other users. */
export const findOpenParts = async ({
  path,
  folders,
  files,
  isOwnName: isOwn,
}: PrivateParts): Promise<ReadonlyArray<OpenPart>> => {
  if (!isAccessKnown) return []
  let names: ReadonlyArray<string>
  try {
    names = await readdir(path)
  } catch {
    // Where there is no folder, or none that this user can read, we have nothing to close.
    return []
  }
  const parts = [
    ...[path, ...folders].map((folder) => [folder, 0o700] as const),
    ...files.map((file) => [file, 0o600] as const),
  ]
  const found = await Promise.all(
    parts.map(async ([part, wanted]) => {
      const info = await stat(part).catch(() => undefined)
      if (info === undefined || (info.mode & others) === 0 || !(await hasModes(part))) return []
      const isLink = (await lstat(part)).isSymbolicLink()
      const isOurs = part === path ? names.every(isOwn) : !isLink
      return [{ path: part, mode: formatMode(info), wanted: wanted.toString(8), isOurs }]
    }),
  )
  return found.flat()
}

/** How the user can close a part of a data folder. */
export const adviseClosing = ({ path, wanted, isOurs }: OpenPart): string =>
  isOurs
    ? `Close it: chmod ${wanted} ${path}`
    : `It holds other things too, or is a link: close it (chmod ${wanted} ${path}), or choose a folder for this alone.`

/**
 * Closes what is open to other users, where that affects nobody else.
 *
 * @returns notes for the user: what was closed, and what was not
 */
export const closeParts = async (folder: PrivateParts): Promise<ReadonlyArray<string>> => {
  const notes: Array<string> = []
  for (const part of await findOpenParts(folder)) {
    const { path, mode, wanted, isOurs } = part
    try {
      if (!isOurs) throw new Error("It stays as it is.")
      await chmod(path, Number.parseInt(wanted, 8))
      notes.push(`Other users of this machine could read ${path} (mode ${mode}); it is closed to them now (${wanted}).`)
    } catch {
      notes.push(`Other users of this machine can read ${path} (mode ${mode}). ${adviseClosing(part)}`)
    }
  }
  return notes
}
