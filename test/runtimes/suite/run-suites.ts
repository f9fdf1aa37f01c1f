import { signer } from "./app.ts"
import { suites } from "./suites.ts"
import type { Line, Place, Runtime, Suite } from "./suite.ts"

/** After which a test that says nothing counts as failed, ms: the others still have their turn. */
const patience = 30_000

const runOne = async (run: () => Promise<void> | void): Promise<string | undefined> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("It came to no end.")), patience)
  })
  try {
    await Promise.race([run(), late])
    return undefined
  } catch (thrown) {
    const { stack = "" } = thrown instanceof Error ? thrown : {}
    // With the message in it, or without.
    return stack.includes(String(thrown)) ? stack : `${String(thrown)}\n${stack}`
  } finally {
    clearTimeout(timer)
  }
}

/** Runs the named suites one test after the other, and tells of each by a line of JSON, of the place by the first. */
export const runSuites = async (
  names: ReadonlyArray<string>,
  runtime: Runtime,
  print: (line: string) => void,
): Promise<void> => {
  const isSynchronous = typeof signer.sign("") === "string"
  print(JSON.stringify({ userAgent: navigator.userAgent, isSynchronous } satisfies Place))
  for (const [suite, tests] of Object.entries<Suite>(suites)) {
    if (!names.includes(suite)) continue
    for (const [test, run] of Object.entries(tests)) {
      const error = await runOne(() => run(runtime))
      print(JSON.stringify({ suite, test, ...(error !== undefined && { error }) } satisfies Line))
    }
  }
}
