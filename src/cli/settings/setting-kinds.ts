import { type Outcome, parseByteSize, parseDuration } from "../../protocol.ts"
import { toDurationsText, toDurationText } from "./duration-text.ts"

/** One setting of an ingest: its flag, its variable and its field in the configuration file all come from here. */
export interface Setting<A> {
  /** The placeholder for the value in the help. */
  readonly argument: string
  readonly description: string
  /** Fails: as a value; the detail says what is allowed. */
  readonly parse: (text: string) => Outcome<A>
  /** What of a value is shown; all of it unless this says otherwise. */
  readonly show?: (text: string) => string
  /** Whether a value must not be repeated, not even one that is wrong. */
  readonly isSecret?: boolean
  /** The default, as users write it; undefined: the description says what applies then. */
  readonly initial?: string
}

export const accept = <A>(value: A): Outcome<A> => ({ ok: true, value })
export const refuse = (detail: string): Outcome<never> => ({ ok: false, code: "INVALID_CONFIG", detail })

export const text = (
  argument: string,
  description: string,
  initial: string,
): Setting<string> & { initial: string } => ({
  argument,
  description,
  initial,
  parse: (value) => (value.trim() === "" ? refuse("Expected a text that is not empty.") : accept(value)),
})

export const duration = (description: string, initial: number): Setting<number> & { initial: string } => ({
  argument: "<duration>",
  description,
  initial: toDurationText(initial),
  parse: parseDuration,
})

export const durations = (
  description: string,
  initial: ReadonlyArray<number>,
): Setting<ReadonlyArray<number>> & { readonly initial: string } => ({
  argument: "<durations>",
  description,
  initial: toDurationsText(initial),
  parse: (value) => {
    const parsed = value.split(",").map(parseDuration)
    return parsed.find((one) => !one.ok) ?? accept(parsed.flatMap((one) => (one.ok ? [one.value] : [])))
  },
})

export const choice = <A extends string>(
  argument: string,
  description: string,
  choices: ReadonlyArray<A>,
): Setting<A> => ({
  argument,
  description: `${description}: ${choices.join(", ")}`,
  parse: (value) => {
    const found = choices.find((one) => one === value)
    return found === undefined ? refuse(`Expected one of ${choices.join(", ")}.`) : accept(found)
  },
})

export const byteSize = (description: string): Setting<number> => ({
  argument: "<size>",
  description,
  parse: (value) => parseByteSize(/^\d+$/.test(value) ? Number(value) : value),
})

export const wholeNumber = (description: string, least: number, most: number): Setting<number> => ({
  argument: "<number>",
  description,
  parse: (value) =>
    /^\d{1,15}$/.test(value) && Number(value) >= least && Number(value) <= most
      ? accept(Number(value))
      : refuse(`Expected a whole number from ${least} to ${most}.`),
})

export const isTrue = (description: string): Setting<boolean> => ({
  argument: "<true|false>",
  description,
  parse: (value) => (/^(true|false)$/.test(value) ? accept(value === "true") : refuse("Expected true or false.")),
})

/** A setting with its default. */
export const orElse = <A>(setting: Setting<A>, initial: string): Setting<A> & { initial: string } => ({
  ...setting,
  initial,
})
