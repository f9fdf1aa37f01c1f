import { mkdir, writeFile } from "node:fs/promises"
import { dirname, join } from "node:path"

/** Files by their paths below a folder; what is no text is written as JSON. */
export type Files = Readonly<Record<string, string | object>>

export const toJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

/** Writes files into a folder, and the folders that they need. */
export const writeFiles = async (folder: string, files: Files): Promise<void> => {
  for (const [path, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), typeof content === "string" ? content : toJson(content))
  }
}
