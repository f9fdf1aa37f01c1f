import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/**
 * Makes the decoder of a message: unknown → message, or one sentence for each issue, with its path.
 *
 * Make it once, not per request. Fails with that text; the caller chooses the code for it.
 */
export const createDecoder = <A>(
  schema: Schema.Codec<A, unknown> | Schema.Decoder<A>,
  /** `error` refuses fields that the schema does not have; by default they are dropped. */
  onExcessProperty: "ignore" | "error" = "ignore",
) => {
  const decode = Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty })
  return (input: unknown): Effect.Effect<A, string> =>
    Effect.mapError(decode(input), (error) => toSentences(error.message))
}

/** `Expected string\n  at ["files"][0]["name"]` → `files[0].name: expected string.`, at most five of them. */
const toSentences = (message: string): string => {
  const issues = message.split(/\n(?! )/)
  const sentences = issues.slice(0, 5).map((issue) => {
    const [what = "", ...rest] = issue.split(/\n\s+at /)
    const path = rest
      .join("")
      .replace(/\["([A-Za-z_$][\w$]*)"\]/g, ".$1")
      .replace(/^\./, "")
    if (what === "Expected no excess property") return `${path} is not known here.`
    return path === "" ? `${what}.` : `${path}: ${what[0]?.toLowerCase() ?? ""}${what.slice(1)}.`
  })
  if (issues.length > 5) sentences.push(`And ${issues.length - 5} more.`)
  return sentences.join(" ")
}
