import { writeFile } from "node:fs/promises"
import { join } from "node:path"
import { makeFolder } from "../make-folder.ts"

/** A file for an input, as Playwright takes it. */
export interface ChosenFile {
  readonly name: string
  readonly mimeType: string
  readonly buffer: Buffer
}

/** Playwright carries contents into the page as Base64, which takes long. */
const isLarge = ({ buffer }: ChosenFile): boolean => buffer.length > 200_000

/**
 * What an input is given with the driver's `setInputFiles`: where a file is large all of them lie on the disk, as
 * people's do, and have the type of their extension. They are removed when the test ends.
 */
export const chosenFiles = async (files: ReadonlyArray<ChosenFile>): Promise<Array<ChosenFile> | Array<string>> => {
  if (!files.some(isLarge)) return [...files]
  // Each choice has a folder of its own: a file that is chosen may not change while it is sent.
  const folder = await makeFolder()
  return Promise.all(
    files.map(async ({ name, buffer }) => {
      const path = join(folder, name)
      await writeFile(path, buffer)
      return path
    }),
  )
}
