import * as fc from "fast-check"
import { describe, it } from "vitest"
import type { Catalog } from "../../../src/ingest.ts"
import { catalogs } from "../circle.ts"
import { play, type Sequence, sequence } from "./transitions/play.ts"

/** Sequences for each catalog; `npm run test:long` tries a million, in an hour. */
const total = Number(process.env["TRANSITION_SEQUENCES"] ?? 10_000)

/** Repeats the sequences of a run; the seed that a failure names repeats the one that failed within seconds. */
const seed = Number(process.env["TRANSITION_SEED"] ?? Math.floor(Math.random() * 2 ** 31))

/** Sequences that one seed makes. They share a catalog, which each of them leaves empty. */
const perSeed = 500

/** Says it at once, also of a test that passes or is never heard of again. */
const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Plays the sequences of a seed. Fails with the shortest one that was found to fail. */
const playAll = async (create: () => Catalog, own: number, numRuns: number): Promise<void> => {
  let catalog = create()
  const property = fc.asyncProperty(sequence, async (given: Sequence) => {
    try {
      await play(catalog, given)
    } catch (cause) {
      // What is left in it would disturb the search for a shorter sequence.
      await catalog.close()
      catalog = create()
      throw cause
    }
  })
  const details = await fc.check(property, { seed: own, numRuns })
  await catalog.close()
  if (!details.failed) return
  const [[quotas, steps]] = details.counterexample!
  throw new Error(
    `TRANSITION_SEED=${own} fails with its sequence ${details.numRuns}, which in short is, ` +
      `where quotas are ${JSON.stringify(quotas)}:${steps.map((step) => `\n  ${fc.stringify(step)}`).join("")}`,
    { cause: details.errorInstance },
  )
}

describe.each(catalogs)("whatever is done to files, and in whatever order (%s)", (name, create) => {
  const title = "a catalog knows what the model knows: who may read, what is taken, listed, owed and gone"
  it(title, { timeout: 60_000 + total * 60 }, async () => {
    const start = performance.now()
    say(`${name}: ${total} sequences of transitions, TRANSITION_SEED=${seed}`)
    for (let done = 0; done < total; done += perSeed) {
      await playAll(create, seed + done / perSeed, Math.min(perSeed, total - done))
      const now = done + perSeed
      if (now % 100_000 === 0) say(`${name}: ${now} in ${Math.round((performance.now() - start) / 1000)} s`)
    }
  })
})
