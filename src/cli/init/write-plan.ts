import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { CommandFailure, describeSystemError } from "../command-failure.ts"
import type { Plan } from "./plan.ts"
import type { Project } from "./read-project.ts"
import { readBytes } from "./read-text.ts"
import { findLinks } from "./targets.ts"

const guard = async (path: string, write: () => Promise<void>): Promise<void> => {
  try {
    await write()
  } catch (error) {
    if (error instanceof CommandFailure) throw error
    throw new CommandFailure(
      `${path} cannot be written: ${describeSystemError(error)}. Run \`sluice init\` again for what is missing.`,
    )
  }
}

/**
 * Writes a plan: files that do not exist, lines into existing files, then package.json. It never overwrites a file,
 * not even one that was created or changed since the plan was made.
 *
 * Fails: with a {@link CommandFailure}, before anything is written where a link leads out of the project; otherwise
 *        what was written before stays, and another run does the rest.
 */
export const writePlan = async (plan: Plan, project: Project): Promise<void> => {
  const { files, edits, devScript } = plan
  const { folder, manifest } = project
  // Again: it may have changed since the plan was made.
  findLinks(plan, project)
  for (const { path, text, existing } of files) {
    if (existing !== undefined) continue
    await guard(path, async () => {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text, { flag: "wx" })
    })
  }
  const manifests =
    devScript.action === "changed" ? [{ path: "package.json", before: manifest, after: devScript.manifest }] : []
  for (const { path, before, after } of [...edits, ...manifests]) {
    await guard(path, async () => {
      // Compared by bytes: text that is not UTF-8 would be changed by decoding it.
      if (!readBytes(join(folder, path)).equals(Buffer.from(before))) {
        throw new CommandFailure(
          `${path} has changed in the meantime, or is not UTF-8, and is left alone. Run \`sluice init\` again.`,
        )
      }
      await writeFile(join(folder, path), after)
    })
  }
}
