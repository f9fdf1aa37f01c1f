import { envName } from "./names.ts"

/** Variables by their names, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>

/** The process's environment; none where the runtime has no such thing. */
export const readEnvironment = (): Environment => (globalThis as { process?: { env?: Environment } }).process?.env ?? {}

/**
 * The options, and for those not given the environment; an empty variable counts as not given. Only what is known is
 * in the answer.
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
