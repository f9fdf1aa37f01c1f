import { CommandFailure } from "../command-failure.ts"

/** The longest line, in characters: longer than any key. */
const longest = 4096

/**
 * The lines of a text without the space around them; empty ones are left out.
 *
 * Fails: with a {@link CommandFailure} where a line is longer than 4,096 characters, so that memory is bounded.
 */
export async function* readLines(input: AsyncIterable<Uint8Array>): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ""
  const checked = (line: string): string => {
    if (line.length > longest) throw new CommandFailure(`A line of standard input has more than ${longest} characters.`)
    return line.trim()
  }
  for await (const chunk of input) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n")
    rest = lines.pop()!
    for (const line of lines) if (checked(line) !== "") yield checked(line)
    checked(rest)
  }
  if (checked(rest + decoder.decode()) !== "") yield checked(rest)
}
