import { otherVariables, type SettingName, ingestSettings } from "../../../src/cli/settings/settings.ts"
import { envName, type Outcome } from "../../../src/protocol.ts"

const toFlag = (name: string): string => `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`

/** Secrets that are variables alone: they are never written down. */
export const secretVariables = new Set([
  ...["token", "metricsToken", "scanSecret", "databaseUrl"].map(envName),
  ...["s3AccessKeyId", "s3SecretAccessKey", "s3SessionToken"].map(envName),
  ...["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"],
])

/** Variables that are not of the command's table and mean something to it, or to Node. */
const known = new Set([
  ...["token", ...otherVariables].map(envName),
  ...["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "NODE_ENV", "NODE_OPTIONS"],
])

const judge = (what: string, name: SettingName, value: string): ReadonlyArray<string> => {
  // A value that stands elsewhere, in a file that is not in the package.
  if (value === "") return []
  const parsed: Outcome<unknown> = ingestSettings[name].parse(value)
  return parsed.ok ? [] : [`${what}: ${parsed.detail}`]
}

/** What the command would not take of variables. */
export const findWrongVariables = (variables: Readonly<Record<string, string>>): ReadonlyArray<string> =>
  Object.entries(variables).flatMap(([variable, value]) => {
    if (known.has(variable)) return []
    const name = (Object.keys(ingestSettings) as Array<SettingName>).find((one) => envName(one) === variable)
    return name === undefined ? [`${variable} is no setting`] : judge(variable, name, value)
  })

/** What the command would not take of the arguments of `sluice`. */
export const findWrongArguments = ([command, ...args]: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (command !== "ingest") return [`${command} is not ingest`]
  const wrong: Array<string> = []
  for (let index = 0; index < args.length; index += 2) {
    const [flag, value] = [args[index]!, args[index + 1]]
    const name = (Object.keys(ingestSettings) as Array<SettingName>).find((one) => toFlag(one) === flag)
    if (name === undefined) wrong.push(`${flag} is no flag`)
    else if (value === undefined || value.startsWith("--")) wrong.push(`${flag} has no value`)
    else wrong.push(...judge(flag, name, value))
  }
  return wrong
}

/** The port that the ingest listens on with these arguments and variables. */
export const portOf = (args: ReadonlyArray<string>, variables: Readonly<Record<string, string>>): number => {
  const index = args.indexOf("--port")
  return Number(index === -1 ? (variables[envName("port")] ?? ingestSettings.port.initial) : args[index + 1])
}
