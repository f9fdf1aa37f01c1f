import * as fc from "fast-check"
import { describe, it } from "vitest"
import { catalogs } from "../circle.ts"
import { play, type Sequence, sequence } from "./transitions/play.ts"

/** Sequences for each catalog. */
const total = Number(process.env["TRANSITION_SEQUENCES"] ?? 10_000)

/** Repeats the sequences of a run; of one that failed, its own seed comes to the point at once. */
const seed = Number(process.env["TRANSITION_SEED"] ?? Math.floor(Math.random() * 2 ** 31))

/** Sequences of one seed, and of one database. */
const perSeed = 500

describe.each(catalogs)("whatever is done to files, and in whatever order (%s)", (name, create) => {
  it(
    "a catalog knows what the model knows",
    async () => {
      console.log(`${total} sequences for ${name}, TRANSITION_SEED=${seed}`)
      for (let done = 0; done < total; done += perSeed) {
        let catalog = create()
        let run = 0
        const property = fc.asyncProperty(sequence, async (given: Sequence) => {
          run++
          try {
            await play(catalog, given)
          } catch (cause) {
            // What is left in it would disturb the search for a shorter sequence.
            await catalog.close()
            catalog = create()
            throw cause
          }
        })
        const own = seed + done / perSeed
        const details = await fc.check(property, { seed: own, numRuns: Math.min(perSeed, total - done) })
        await catalog.close()
        if (details.failed) {
          const first = done + details.numRuns
          const report = `The first of this seed to fail is ${details.numRuns}, of all ${first}; TRANSITION_SEED=${own}`
          throw new Error(`${report}\n${fc.stringify(details.counterexample)}`, { cause: details.errorInstance })
        }
      }
    },
    60_000 + total * 60,
  )
})
