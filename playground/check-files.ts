import { constants } from "node:fs"
import { access, stat } from "node:fs/promises"
import { resolve } from "node:path"

/** A file that can be uploaded. */
export interface LocalFile {
  /** As it was given. */
  readonly given: string
  /** Absolute. */
  readonly path: string
}

const whatIsWrong = async (path: string): Promise<string | undefined> => {
  try {
    const stats = await stat(path)
    if (stats.isDirectory()) return "is a folder; name files"
    if (!stats.isFile()) return "is no regular file"
    await access(path, constants.R_OK)
    return undefined
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return code === "ENOENT" ? "does not exist" : code === "EACCES" ? "cannot be read: permission denied" : message
  }
}

/**
 * Checks the files before anything starts.
 *
 * @returns them, or one sentence a file that cannot be uploaded
 */
export const checkFiles = async (
  given: ReadonlyArray<string>,
): Promise<{ readonly files: ReadonlyArray<LocalFile>; readonly problems: ReadonlyArray<string> }> => {
  const files: Array<LocalFile> = []
  const problems: Array<string> = []
  for (const name of given) {
    // npm runs scripts in the package's folder; INIT_CWD is where the person typed.
    const path = resolve(process.env["INIT_CWD"] ?? "", name)
    const problem = await whatIsWrong(path)
    if (problem === undefined) files.push({ given: name, path })
    else problems.push(`${name} ${problem}.`)
  }
  return { files, problems }
}
