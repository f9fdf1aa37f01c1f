import { createInterface } from "node:readline/promises"

/**
 * Asks, and treats the end of input and Ctrl-C as a no. Where standard output goes elsewhere, the question is on standard
 * error, so that whoever is asked sees it.
 */
export const ask = async (question: string): Promise<boolean> => {
  const output = process.stdout.isTTY ? process.stdout : process.stderr
  const terminal = createInterface({ input: process.stdin, output })
  const ended = new Promise<string>((resolve) => {
    terminal.once("close", () => resolve(""))
  })
  try {
    const answer = await Promise.race([terminal.question(question).catch(() => ""), ended])
    return /^\s*y(es)?\s*$/i.test(answer)
  } finally {
    terminal.close()
  }
}
