import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { doors } from "../tsup.config.ts"
import type { Block } from "./code-blocks.ts"

const root = join(import.meta.dirname, "..")

/** The blocks of a page as modules of an app that can be imported. */
export interface ImportedBlocks {
  readonly folder: string
  readonly load: (path: string) => Promise<Record<string, unknown>>
  readonly remove: () => Promise<void>
}

/**
 * Writes the blocks of a page into a folder, word by word but for the package's name, which is a door's source file.
 *
 * @param others files that a page takes for granted, by path
 */
export const writeBlocks = async (
  blocks: ReadonlyArray<Pick<Block, "path" | "code">>,
  others: Readonly<Record<string, string>> = {},
): Promise<ImportedBlocks> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-page-"))
  await symlink(join(root, "node_modules"), join(folder, "node_modules"), "dir")
  for (const { path, code } of [...blocks, ...Object.entries(others).map(([path, code]) => ({ path, code }))]) {
    const text = code.replaceAll(/"sluice\/([\w/-]+)"/g, (_, door: string) => `"${join(root, doors.get(door)!)}"`)
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), text)
  }
  return {
    folder,
    load: (path) => import(join(folder, path)),
    remove: () => rm(folder, { recursive: true }),
  }
}
