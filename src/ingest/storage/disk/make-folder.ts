/**
 * Makes a folder, and those above it that are missing, for this user alone; one that is there stays as it is.
 *
 * Not Node's own recursive `mkdir`: that asks for ever where the system says ENOENT of a name in a folder which is there, as
 * `/proc` does, and says ENOENT of a disk that is read-only.
 *
 * Fails: throws the system's error, whose `path` is the folder that could not be made; ENOTDIR where something else is in
 * the way, a link that leads nowhere too.
 */
export const makeFolder = (path: string): void => {
  const { mkdirSync, statSync } = process.getBuiltinModule("node:fs")
  const { dirname, resolve } = process.getBuiltinModule("node:path")
  const isFolder = (at: string): boolean | undefined => statSync(at, { throwIfNoEntry: false })?.isDirectory()
  const inTheWay = (at: string) =>
    Object.assign(new Error(`ENOTDIR: not a directory, mkdir '${at}'`), { code: "ENOTDIR", syscall: "mkdir", path: at })

  const missing: Array<string> = []
  for (let at = resolve(path); ; at = dirname(at)) {
    const found = isFolder(at)
    if (found) break
    // The root of a drive that is not there has nothing above it.
    if (found === false || dirname(at) === at) throw inTheWay(at)
    missing.push(at)
  }
  for (const at of missing.reverse()) {
    try {
      mkdirSync(at, { mode: 0o700 })
    } catch (cause) {
      if ((cause as { code?: string }).code !== "EEXIST") throw cause
      // Somebody was faster, or it is a link that leads nowhere.
      if (!isFolder(at)) throw inTheWay(at)
    }
  }
}
