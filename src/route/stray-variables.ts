import type { Environment } from "../protocol/environment.ts"
import { envName } from "../protocol/names.ts"
import { listUnknownVariables } from "../schema/unknown-variables.ts"

/**
 * Variables in the environment that may have been meant instead of a missing one: misspelt names, and a token in a
 * variable that bundlers write into pages. Names only, never values.
 */
export const findStrayVariables = (env: Environment): ReadonlyArray<string> => {
  const token = envName("token")
  return [
    // The others may be the ingest's own.
    ...listUnknownVariables(env).flatMap(({ name, nearest }) =>
      nearest === undefined ? [] : [`${name} is not read here; the nearest that is: ${nearest}.`],
    ),
    ...Object.keys(env)
      .filter((name) => env[name] && name !== token && name.endsWith(`_${token}`))
      .map((name) => `${name} is not read, and may be public in the browser: name it ${token}, and replace its key.`),
  ]
}
