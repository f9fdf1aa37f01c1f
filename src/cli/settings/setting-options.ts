import { type Command, InvalidArgumentError, Option } from "commander"
import { envName, type Outcome } from "../../protocol.ts"
import { isServiceLink } from "../../schema/unknown-variables.ts"
import { configFileName, readConfigFile } from "./config-file.ts"
import type { Setting } from "./setting-kinds.ts"
import { ingestSettings, type SettingName, type SettingValues } from "./settings.ts"

/** A value and the text it was read from. */
interface Given {
  readonly text: string
  readonly value: unknown
}

/** Where a value other than the default came from. */
export interface SettingSource {
  readonly name: SettingName
  readonly text: string
  /** `--port`, `SLUICE_PORT` or the path of the configuration file. */
  readonly source: string
}

/** The settings of a command. */
export interface ResolvedSettings<Names extends SettingName> {
  readonly values: SettingValues<Names>
  /** Those that differ from the default. */
  readonly sources: ReadonlyArray<SettingSource>
}

/** A value that somebody has given; undefined where it is the default. */
export const givenValue = <Name extends SettingName>(
  { values, sources }: ResolvedSettings<Name>,
  name: Name,
): SettingValues<Name>[Name] | undefined => (sources.some((source) => source.name === name) ? values[name] : undefined)

/** Turns one of the protocol's parsers into one for commander: a refusal becomes wrong usage. */
export const toArgParser =
  <A>(parse: (text: string) => Outcome<A>) =>
  (text: string): A => {
    const parsed = parse(text)
    if (!parsed.ok) throw new InvalidArgumentError(parsed.detail)
    return parsed.value
  }

const flagOf = (name: string): string => `--${name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** As {@link toArgParser}, for a secret: commander would repeat it. */
const toSecretParser =
  (command: Command, flags: string, variable: string, parse: Setting<unknown>["parse"]) =>
  (text: string): unknown => {
    const parsed = parse(text)
    if (parsed.ok) return parsed.value
    // The parser is not told where a text is from.
    const isOfVariable = process.env[variable] === text
    const source = isOfVariable ? `the variable ${variable}` : `the value of option '${flags}'`
    return command.error(
      isOfVariable && text === ""
        ? `error: ${source} is set and empty. Give it its value, or do not set it at all.`
        : `error: ${source} is invalid. ${parsed.detail}`,
    )
  }

const toOption = (command: Command, name: SettingName): Option => {
  const setting: Setting<unknown> = ingestSettings[name]
  const flags = `${flagOf(name)} ${setting.argument}`
  const read = setting.isSecret
    ? toSecretParser(command, flags, envName(name), setting.parse)
    : toArgParser(setting.parse)
  const parse = (text: string): Given => ({ text, value: read(text) })
  const option = new Option(flags, setting.description)
  option.argParser(parse)
  // Kubernetes sets SLUICE_PORT for a Service named sluice, in every pod, whatever the pod runs.
  if (!isServiceLink(process.env[envName(name)] ?? "")) option.env(envName(name))
  return setting.initial === undefined ? option : option.default(parse(setting.initial), setting.initial)
}

/** Whether a command logs for machines: the reason of its failure is then printed in the same format. */
export const isLoggedAsJson = (command: Command): boolean => {
  const format = command.getOptionValue("logFormat" satisfies SettingName) as Given | undefined
  if (format !== undefined) return format.value === "json"
  return command.name() === "ingest" && command.getOptionValue("json") === true
}

/** Gives a command the flags and variables of these settings, and `--config`. */
export const addSettings = (command: Command, settings: ReadonlyArray<SettingName>): Command => {
  for (const name of settings) command.addOption(toOption(command, name))
  const description = `JSON with settings (default: ${configFileName})`
  return command.addOption(new Option("--config <file>", description).env(envName("config")))
}

/**
 * The settings of a command: flags override the environment, which overrides the configuration file, which overrides
 * the defaults.
 *
 * Fails: with a `CommandFailure` that names the file and the field.
 */
export const resolveSettings = async <Names extends SettingName>(
  command: Command,
  settings: ReadonlyArray<Names>,
): Promise<ResolvedSettings<Names>> => {
  const file = await readConfigFile(command.getOptionValue("config") as string | undefined)
  const values: Partial<Record<SettingName, unknown>> = {}
  const sources: Array<SettingSource> = []
  for (const name of settings) {
    const given = command.getOptionValue(name) as Given | undefined
    const source = command.getOptionValueSource(name)
    const inFile = file?.settings[name]
    const { parse, show = (text) => text }: Setting<unknown> = ingestSettings[name]
    if (source === "cli" || source === "env") {
      sources.push({ name, text: show(given!.text), source: source === "cli" ? flagOf(name) : envName(name) })
      values[name] = given!.value
    } else if (inFile !== undefined) {
      sources.push({ name, text: show(inFile), source: file!.path })
      values[name] = toArgParser<unknown>(parse)(inFile)
      command.setOptionValueWithSource(name, { text: inFile, value: values[name] }, "config")
    } else values[name] = given?.value
  }
  return { values: values as SettingValues<Names>, sources }
}
