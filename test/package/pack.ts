import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

const root = join(import.meta.dirname, "../..")

/**
 * Builds the package as users get it, and packs it.
 *
 * `dist` is built in its place: the playground and the benchmarks use it too.
 */
export const packPackage = (): { readonly tarball: string; readonly remove: () => void } => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-pack-"))
  const tsup = join(root, "node_modules/tsup/dist/cli-default.js")
  execFileSync(process.execPath, [tsup], { cwd: root, stdio: ["ignore", "ignore", "inherit"] })
  execFileSync("npm", ["pack", "--ignore-scripts", "--silent", "--pack-destination", folder], {
    cwd: root,
    stdio: "ignore",
  })
  const [tarball] = readdirSync(folder)
  if (tarball === undefined) throw new Error("npm pack made no tarball")
  return { tarball: join(folder, tarball), remove: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The same once before all tests that need it. */
export const setup = (project: TestProject) => {
  const { tarball, remove } = packPackage()
  project.provide("tarball", tarball)
  return remove
}

declare module "vitest" {
  interface ProvidedContext {
    /** The packed package. */
    tarball: string
  }
}
