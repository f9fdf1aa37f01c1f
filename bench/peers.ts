import { execFileSync } from "node:child_process"
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync } from "node:fs"
import { join } from "node:path"

/** Where the packages we compare ourselves with are installed; git ignores it. */
export const peersFolder = join(import.meta.dirname, ".peers")

const source = join(import.meta.dirname, "peers")

/** A file of an installed peer, for `import()`: the path inside `node_modules`. */
export const peerFile = (path: string): string => join(peersFolder, "node_modules", path)

/** Installs the peers by their lockfile, unless that was done already. */
export const installPeers = (): void => {
  const lock = join(peersFolder, "package-lock.json")
  const wanted = readFileSync(join(source, "package-lock.json"), "utf8")
  const isInstalled =
    existsSync(join(peersFolder, "node_modules")) && existsSync(lock) && readFileSync(lock, "utf8") === wanted
  if (!isInstalled) {
    console.log("Installing what Sluice is compared with into bench/.peers …")
    mkdirSync(peersFolder, { recursive: true })
    for (const file of ["package.json", "package-lock.json"]) copyFileSync(join(source, file), join(peersFolder, file))
    execFileSync("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], { cwd: peersFolder, stdio: "inherit" })
  }
  const self = peerFile("sluice")
  if (!existsSync(self)) symlinkSync(join(import.meta.dirname, ".."), self)
}
