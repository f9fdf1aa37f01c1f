import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { bundleElement } from "../browser/bundle.ts"
import { launchChromium } from "../browser/chromium.ts"
import { makeMistake } from "./make-mistake.ts"
import type { Mistake, Reader, Readings, Stage } from "./mistake.ts"

const stages = ["development", "production"] as const satisfies ReadonlyArray<Stage>

/** What a mistake led to, in each stage in which it can be made. */
export interface Outcome {
  readonly mistake: Mistake
  readonly readings: Readonly<Partial<Record<Stage, Readings>>>
}

/** Makes all mistakes, some at a time, and reads what is said about them. */
export const readMistakes = async (mistakes: ReadonlyArray<Mistake>, atOnce = 3): Promise<ReadonlyArray<Outcome>> => {
  const [development, production] = await Promise.all(stages.map((stage) => bundleElement(stage, false)))
  const scripts = { development: development!, production: production! }
  const styles = await readFile(join(import.meta.dirname, "../../src/ui/styles.css"), "utf8")
  const browser = await launchChromium()
  const outcomes: Array<Outcome> = []
  const left = [...mistakes.entries()]
  const work = async () => {
    for (let next = left.shift(); next !== undefined; next = left.shift()) {
      const [index, mistake] = next
      const readings: Partial<Record<Stage, Readings>> = {}
      for (const stage of mistake.stages ?? stages) {
        readings[stage] = await makeMistake(mistake, stage, { browser, script: scripts[stage], styles })
      }
      outcomes[index] = { mistake, readings }
    }
  }
  try {
    await Promise.all(Array.from({ length: atOnce }, work))
  } finally {
    await browser.close()
  }
  return outcomes
}

/** All that somebody reads, as it was printed. */
export const textFor = (reader: Reader, { development, production }: Outcome["readings"]): string => {
  switch (reader) {
    case "user":
      return production?.component ?? development?.component ?? ""
    case "developer":
      return [development?.component, development?.console, development?.app, production?.console].join("\n")
    case "operator":
      return [production?.app, production?.ingest, production?.doctor].join("\n")
  }
}

/** What is missing of cause and fix, for each of those who can mend a mistake; none where all of them read both. */
export const judge = ({ mistake, readings }: Outcome): ReadonlyArray<string> => {
  const { reader, cause, fix } = mistake
  const asked = reader.filter((each) => each !== "operator" || readings.production !== undefined)
  const missing = asked.flatMap((each) => {
    const text = textFor(each, readings)
    return [
      ...(cause.test(text) ? [] : [`the ${each} does not read the cause (${cause})`]),
      ...(fix.test(text) ? [] : [`the ${each} does not read the fix (${fix})`]),
    ]
  })
  const leak = /SLUICE_\w+|environment variable|process\.env|callback URL|sk_\w+|at \S+:\d+:\d+/.exec(
    readings.production?.component ?? "",
  )
  return leak === null ? missing : [...missing, `the user in production reads “${leak[0]}”`]
}
