import { execFileSync } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"

const root = join(import.meta.dirname, "../..")

/**
 * Builds the package, once before all tests that need it as users get it, and packs it.
 *
 * `dist` is built in its place: the playground and the benchmarks use it too.
 */
export const setup = (project: TestProject) => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-pack-"))
  const tsup = join(root, "node_modules/tsup/dist/cli-default.js")
  execFileSync(process.execPath, [tsup], { cwd: root, stdio: ["ignore", "ignore", "inherit"] })
  execFileSync("npm", ["pack", "--silent", "--pack-destination", folder], { cwd: root, stdio: "ignore" })
  const [tarball] = readdirSync(folder)
  if (tarball === undefined) throw new Error("npm pack made no tarball")
  project.provide("tarball", join(folder, tarball))
  return () => rmSync(folder, { recursive: true, force: true })
}

declare module "vitest" {
  interface ProvidedContext {
    /** The packed package. */
    tarball: string
  }
}
