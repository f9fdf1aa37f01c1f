import { mkdir, readFile, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"
import { CommandFailure, describeSystemError } from "../command-failure.ts"
import type { Plan } from "./plan.ts"
import type { Project } from "./read-project.ts"

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
 * Writes what a plan holds: files that are not there, then package.json. Never over a file, also not over one that has
 * come since the plan was made.
 *
 * Fails: with a {@link CommandFailure}; what was written before stays, and another run does the rest.
 */
export const writePlan = async ({ files, devScript }: Plan, { folder, manifest }: Project): Promise<void> => {
  for (const { path, text, existing } of files) {
    if (existing !== undefined) continue
    await guard(path, async () => {
      await mkdir(dirname(join(folder, path)), { recursive: true })
      await writeFile(join(folder, path), text, { flag: "wx" })
    })
  }
  if (devScript.action !== "changed") return
  await guard("package.json", async () => {
    const path = join(folder, "package.json")
    if ((await readFile(path, "utf8")) !== manifest) {
      throw new CommandFailure("package.json has changed in the meantime and is left alone. Run `sluice init` again.")
    }
    await writeFile(path, devScript.manifest)
  })
}
