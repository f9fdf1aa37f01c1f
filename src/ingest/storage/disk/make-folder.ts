/**
 * Makes a folder, and its missing parents, for this user alone; an existing folder is left as it is.
 *
 * Node's own recursive `mkdir` is not used: it loops for ever where the system reports ENOENT for a name in an
 * existing folder, as `/proc` does, and reports ENOENT for a disk that is read-only.
 *
 * Fails: throws the system's error, whose `path` is the folder that could not be made; ENOTDIR where something else is
 *        in the way, such as a link that leads nowhere.
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
    // The root of a missing drive has no parent.
    if (found === false || dirname(at) === at) throw inTheWay(at)
    missing.push(at)
  }
  for (const at of missing.reverse()) {
    try {
      mkdirSync(at, { mode: 0o700 })
    } catch (cause) {
      if ((cause as { code?: string }).code !== "EEXIST") throw cause
      // Another process was faster, or it is a link that leads nowhere.
      if (!isFolder(at)) throw inTheWay(at)
    }
  }
}
