import type { Environment } from "../protocol/environment.ts"
import { envName, names } from "../protocol/names.ts"
import { findNearest } from "../protocol/unknown-option.ts"
import { routeHandlerOptions } from "./route-handler-options.ts"
import { serverApiOptions } from "./server-api-options.ts"

export { findNearest }

/** Kubernetes describes a Service with our name by such variables to everything in its namespace. */
const ofKubernetes = /_SERVICE_(HOST|PORT)(_|$)|_PORT_\d+_(TCP|UDP|SCTP)(_|$)/

/**
 * Whether the value has the form in which Kubernetes writes the address of a Service: `SLUICE_PORT` is one where the
 * Service is named `sluice`.
 */
export const isServiceLink = (value: string): boolean => /^(tcp|udp|sctp):\/\//.test(value)

const isOfKubernetes = (name: string, value: string): boolean => ofKubernetes.test(name) || isServiceLink(value)

/** An unknown variable with our prefix, and the one that was probably meant. */
export interface UnknownVariable {
  readonly name: string
  readonly nearest: string | undefined
}

/**
 * The variables with our prefix that nothing reads. Empty ones are ignored.
 *
 * @param others names of options that are read in addition to those of an app
 */
export const listUnknownVariables = (
  env: Environment,
  others: ReadonlyArray<string> = [],
): ReadonlyArray<UnknownVariable> => {
  const options = [...Object.keys(routeHandlerOptions), ...Object.keys(serverApiOptions), ...others]
  const known = new Set(options.map(envName))
  const bare = [...known].map((name) => name.slice(names.envPrefix.length))
  return Object.entries(env).flatMap(([name, value]) => {
    if (!value || !name.startsWith(names.envPrefix) || known.has(name) || isOfKubernetes(name, value)) return []
    const nearest = findNearest(name.slice(names.envPrefix.length), bare)
    return [{ name, nearest: nearest && names.envPrefix + nearest }]
  })
}

/** Says for each of {@link listUnknownVariables} that it is ignored, and which was probably meant. */
export const findUnknownVariables = (env: Environment, others: ReadonlyArray<string>): ReadonlyArray<string> =>
  listUnknownVariables(env, others).map(
    ({ name, nearest }) =>
      `Nothing of Sluice reads the variable ${name}.${nearest === undefined ? "" : ` The nearest is ${nearest}.`}`,
  )
