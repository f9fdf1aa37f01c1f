import { envName } from "./names.ts"

/** Variables by name, as in `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The process's environment; empty where the runtime has none. */
export const readEnvironment = (): Environment => (globalThis as { process?: { env?: Environment } }).process?.env ?? {}

/**
 * The options, with missing ones taken from the environment; an empty variable counts as missing. The result holds
 * only known options.
 *
 * Source: docs/protocol.md §1.
 */
export const mergeEnvironment = <Options extends object>(
  options: Options,
  keys: ReadonlyArray<keyof Options & string>,
  env: Environment,
): Record<string, unknown> =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const value = options[key] ?? (env[envName(key)] || undefined)
      return value === undefined ? [] : [[key, value]]
    }),
  )
