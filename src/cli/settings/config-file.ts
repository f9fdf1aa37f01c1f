import { readFile } from "node:fs/promises"
import { resolve } from "node:path"
import { CommandFailure, describeSystemError, isSystemError } from "../command-failure.ts"
import type { ConfigFile } from "./decode-config.ts"

/** Looked for in the working directory. */
export const configFileName = "sluice.config.json"

/**
 * Reads the configuration file, or the one of the usual name where there is one.
 *
 * Fails: with a {@link CommandFailure} that names the file and each wrong field.
 */
export const readConfigFile = async (given: string | undefined): Promise<ConfigFile | undefined> => {
  const path = resolve(given ?? configFileName)
  let text: string
  try {
    text = await readFile(path, "utf8")
  } catch (error) {
    if (given === undefined && isSystemError(error, "ENOENT")) return undefined
    throw new CommandFailure(`The configuration file ${path} cannot be read: ${describeSystemError(error)}.`)
  }
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch (error) {
    throw new CommandFailure(`The configuration file ${path} is not JSON: ${(error as Error).message}.`)
  }
  const { decodeConfig } = await import("./decode-config.ts")
  const decoded = decodeConfig(json)
  if (!decoded.ok) throw new CommandFailure(`The configuration file ${path}: ${decoded.detail}`)
  return { path, settings: decoded.value }
}
