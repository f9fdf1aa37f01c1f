import * as fc from "fast-check"
import { describe, it, onTestFinished, vi } from "vitest"
import { catalogs } from "../circle.ts"
import { playAtDoor } from "./transitions/door.ts"
import { play, sequence, sequenceAtDoor } from "./transitions/play.ts"

/** Sequences for each catalog, and a hundredth of them by requests to an ingest. `npm run test:long` tries a million. */
const total = Number(process.env["TRANSITION_SEQUENCES"] ?? 4000)

/** Repeats the sequences of a run; the seed that a failure names repeats the one that failed within seconds. */
const seed = Number(process.env["TRANSITION_SEED"] ?? Math.floor(Math.random() * 2 ** 31))

/** Says it at once, also of a test that passes or is never heard of again. */
const say = (line: string): void => void process.stdout.write(`${line}\n`)

/** Plays the sequences of one seed after the other. Fails with the shortest one that is found to fail. */
const playAll = async <Given>(
  name: string,
  { given, count, perSeed }: { readonly given: fc.Arbitrary<Given>; readonly count: number; readonly perSeed: number },
  start: () => { readonly play: (given: Given) => Promise<void>; readonly close: () => Promise<void> },
): Promise<void> => {
  const began = performance.now()
  say(`${name}: ${count} sequences of transitions, TRANSITION_SEED=${seed}`)
  for (let done = 0; done < count; done += perSeed) {
    let player = start()
    const property = fc.asyncProperty(given, async (sequence) => {
      try {
        await player.play(sequence)
      } catch (cause) {
        // What is left would disturb the search for a shorter sequence.
        await player.close()
        player = start()
        throw cause
      }
    })
    const own = seed + done / perSeed
    const details = await fc.check(property, { seed: own, numRuns: Math.min(perSeed, count - done) })
    await player.close()
    if (details.failed) {
      const report = `TRANSITION_SEED=${own} fails with its sequence ${details.numRuns} (the ${done + details.numRuns}th)`
      const [sequence] = details.counterexample!
      throw new Error(`${report}. In short:\n${fc.stringify(sequence)}`, { cause: details.errorInstance })
    }
    const now = done + perSeed
    if (now % 100_000 === 0) say(`${name}: ${now} in ${Math.round((performance.now() - began) / 1000)} s`)
  }
}

const timeout = 60_000 + total * 60

describe.each(catalogs)("whatever is done to files, and in whatever order (%s)", (name, create) => {
  it("the catalog knows what the model knows: what is readable, listed, counted, owed and gone", { timeout }, () =>
    playAll(name, { given: sequence, count: total, perSeed: 500 }, () => {
      const catalog = create()
      return { play: (given) => play(catalog, given), close: catalog.close }
    }),
  )

  it("the ingest lets nobody read what the model does not, and everybody what it does", { timeout }, async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    onTestFinished(() => void vi.useRealTimers())
    await playAll(`${name}, by HTTP`, { given: sequenceAtDoor, count: Math.ceil(total / 100), perSeed: 50 }, () => ({
      play: (given) => playAtDoor(create(), given),
      close: async () => {},
    }))
  })
})
