import { execFile } from "node:child_process"
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { inject } from "vitest"

const run = promisify(execFile)

export const repository = join(import.meta.dirname, "../..")

/** A project that depends on the packed package and on nothing else. */
export interface Consumer {
  readonly folder: string
  readonly remove: () => Promise<void>
}

/**
 * Installs the tarball into an empty project, without a registry: the package has no dependencies.
 *
 * @param links packages of this repository that the project has too, for their types
 */
export const createConsumer = async (links: ReadonlyArray<string> = []): Promise<Consumer> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-consumer-"))
  await writeFile(join(folder, "package.json"), JSON.stringify({ name: "consumer", private: true, type: "module" }))
  const flags = ["--offline", "--no-audit", "--no-fund", "--no-package-lock", "--loglevel=error"]
  await run("npm", ["install", inject("tarball"), ...flags], { cwd: folder })
  for (const name of links) {
    const link = join(folder, "node_modules", name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(join(repository, "node_modules", name), link)
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

/** What a program says, errors included, and how it ended. */
export const runIn = async (
  { folder }: Consumer,
  command: string,
  args: ReadonlyArray<string>,
): Promise<{ readonly code: number; readonly output: string }> => {
  try {
    const { stdout, stderr } = await run(command, args, { cwd: folder })
    return { code: 0, output: stdout + stderr }
  } catch (thrown) {
    const { code, stdout, stderr } = thrown as { code: number; stdout: string; stderr: string }
    return { code, output: stdout + stderr }
  }
}
