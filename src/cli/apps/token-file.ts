import { open, rm, stat } from "node:fs/promises"
import { dirname, resolve } from "node:path"
import { flushFolder, renameFile } from "../../ingest.ts"
import { CommandFailure, describeSystemError, isSystemError } from "../command-failure.ts"

/** Where to write a token. */
export interface TokenFileOptions {
  readonly out?: string | undefined
  /** Replaces an existing file. */
  readonly force?: true
}

/** A file that only its owner can read, made before the secret that goes into it. */
export interface TokenFile {
  readonly path: string
  readonly write: (token: string) => Promise<void>
  /** Removes it without a trace. */
  readonly discard: () => Promise<void>
}

/**
 * Makes the file for a token, mode 0600 whatever the umask is, so that no key is made whose token cannot be written.
 *
 * Fails: with a {@link CommandFailure} where it cannot be made, also when the file exists and `force` is not given.
 */
export const reserveTokenFile = async ({ out, force }: TokenFileOptions): Promise<TokenFile | undefined> => {
  if (out === undefined) return undefined
  const path = resolve(out)
  // `wx` follows no link and opens no existing file; an existing file is replaced in one step.
  const made = force ? `${path}.${process.pid}` : path
  const fail = (error: unknown) =>
    new CommandFailure(
      isSystemError(error, "EEXIST")
        ? `${made} already exists, and nothing was changed. Choose another file with --out, or replace it with --force.`
        : `The token cannot be written to ${path}: ${describeSystemError(error)}.`,
    )
  const there = force ? await stat(path).catch(() => undefined) : undefined
  if (there !== undefined && !there.isFile()) {
    throw new CommandFailure(`${path} is not a regular file and was left as it is. Choose another file with --out.`)
  }
  const file = await open(made, "wx", 0o600).catch((error: unknown) => {
    throw fail(error)
  })
  const discard = async () => {
    await file.close().catch(() => {})
    await rm(made, { force: true })
  }
  return {
    path,
    discard,
    write: async (token) => {
      try {
        await file.writeFile(`${token}\n`)
        await file.sync()
        await file.close()
        if (made !== path) await renameFile(made, path)
        await flushFolder(dirname(path))
      } catch (error) {
        await discard()
        throw fail(error)
      }
    },
  }
}

/** Runs the code that makes a token with the file for it; where that fails, no file remains. */
export const withTokenFile = async <A>(
  options: TokenFileOptions,
  make: (file: TokenFile | undefined) => Promise<A>,
): Promise<A> => {
  const file = await reserveTokenFile(options)
  try {
    return await make(file)
  } catch (error) {
    await file?.discard()
    throw error
  }
}
