import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"

/** Values in an input of which all issues are told; of a larger one only the first is. */
const mostExplained = 2000

/** Whether an input has few enough values: an issue for each of a million would take seconds, and a gigabyte. */
const isSmall = (input: unknown): boolean => {
  const waiting: Array<unknown> = [input]
  let seen = 0
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== "object" || value === null) continue
    const members: ReadonlyArray<unknown> = Array.isArray(value) ? value : Object.values(value)
    seen += members.length
    if (seen > mostExplained) return false
    waiting.push(...members)
  }
  return true
}

/**
 * Makes the decoder of a message: unknown → message, or one sentence for each issue, with its path. Decoding ends at the
 * first issue, so that a hostile input costs no more than a valid one; those of a small one are then all looked for.
 *
 * Make it once, not per request. Fails with that text; the caller chooses the code for it.
 */
export const createDecoder = <A>(
  schema: Schema.Codec<A, unknown> | Schema.Decoder<A>,
  /** `error` refuses fields that the schema does not have; by default they are dropped. */
  onExcessProperty: "ignore" | "error" = "ignore",
) => {
  const decode = Schema.decodeUnknownEffect(schema, { onExcessProperty })
  const explain = Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty })
  return (input: unknown): Effect.Effect<A, string> =>
    Effect.catch(decode(input), (error) =>
      isSmall(input)
        ? Effect.mapError(explain(input), ({ message }) => toSentences(message))
        : Effect.fail(toSentences(error.message)),
    )
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
