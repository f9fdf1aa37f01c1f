import { isDeepStrictEqual } from "node:util"
import * as fc from "fast-check"
import { expect } from "vitest"
import type { Catalog } from "../../../../src/ingest.ts"
import type { Kept, Model } from "./model.ts"

/**
 * One thing that can be done to a catalog.
 *
 * To add one: write it, list it in `commands.ts`, and give {@link Kept} what the model has to know more. Whatever it may do to
 * a file that is stored has to be said by `mayEnd` and `mayClaim`: everything else counts as a loss.
 */
export interface Command<Given, Answer> {
  readonly name: string
  /** How often it is chosen, compared with the others. */
  readonly weight: number
  /** What it is done with. What depends on the state is worked out from this and the model when it runs. */
  readonly given: fc.Arbitrary<Given>
  readonly run: {
    /**
     * Does it to the model. Returns what is known afterwards, and the answer that a catalog must give.
     *
     * @param answer what the catalog answered, where it has a choice
     */
    readonly model: (model: Model, given: Given, answer: Answer) => readonly [Model, Answer]
    /** Does it to a catalog, which knows what the model knows. */
    readonly catalog: (catalog: Catalog, given: Given, model: Model) => Promise<Answer>
  }
  /** Whether it may end a file that is stored, pending or not. By default it may not. */
  readonly mayEnd?: (kept: Kept, given: Given, answer: Answer, before: Model) => boolean
  /** Whether after it a file may need no claim any more. By default it may not. */
  readonly mayClaim?: (kept: Kept, given: Given, answer: Answer) => boolean
}

/** A command with what it is done with. */
export interface Move {
  /** Does it to both. Returns what must be known afterwards. Fails where the catalog answers something else. */
  readonly take: (catalog: Catalog, model: Model) => Promise<Model>
}

/** A command whose types are known to itself alone. */
export interface AnyCommand {
  readonly name: string
  readonly weight: number
  readonly moves: fc.Arbitrary<Move>
}

/** What nothing may do, whichever command it is. */
const checkFates = (
  before: Model,
  after: Model,
  mayEnd: (kept: Kept) => boolean,
  mayClaim: (kept: Kept) => boolean,
): void => {
  for (const kept of before.files) {
    const next = after.files.find(({ number }) => number === kept.number)
    const { status, key, claimBy, claimWithin } = kept.file
    if (status === "Uploaded" && (next?.file.status !== "Uploaded" || !next.isCurrent)) {
      expect(mayEnd(kept), `${key} was stored, and nothing may have ended it`).toBe(true)
      expect(next?.file.status, `${key} is deleted before it is gone`).toBe("Deleting")
    }
    if (next === undefined) continue
    const isAnswered = next.file.claimBy === null && next.file.claimWithin === null
    const waited = claimBy !== null || (status === "Uploading" && claimWithin !== null)
    if (waited && isAnswered) expect(mayClaim(kept), `${key} waited, and nobody claimed it`).toBe(true)
    const fates = {
      Uploading: /./,
      Uploaded: /^(Uploaded|Deleting)$/,
      Failed: /^(Failed|Deleting)$/,
      Deleting: /^Deleting$/,
    }
    expect(next.file.status, `what becomes of ${key}`).toMatch(fates[status])
  }
  const begun = after.files.find(({ number }) => number === before.begun)?.file
  const grave = before.graves.find(({ appId, key }) => appId === begun?.appId && key === begun.key)
  if (begun === undefined || grave === undefined || grave.until <= before.now) return
  expect(begun.issuedAt ?? 0, `${begun.key} was deleted, and came back`).toBeGreaterThan(grave.deletedAt)
}

/** Compares faster than `expect` does, which says what differs. */
export const expectSame = (found: unknown, expected: unknown, what: string): void => {
  if (!isDeepStrictEqual(found, expected)) expect(found, what).toEqual(expected)
}

export const defineCommand = <Given, Answer>(command: Command<Given, Answer>): AnyCommand => {
  const { name, weight, given, run, mayEnd = () => false, mayClaim = () => false } = command
  const toMove = (given: Given): Move & { readonly [fc.toStringMethod]: () => string } => ({
    take: async (catalog, model) => {
      const answer = await run.catalog(catalog, given, model)
      const [after, expected] = run.model(model, given, answer)
      expectSame(answer, expected, `the answer to ${name}`)
      checkFates(
        model,
        after,
        (kept) => mayEnd(kept, given, answer, model),
        (kept) => mayClaim(kept, given, answer),
      )
      return after
    },
    [fc.toStringMethod]: () => `${name}(${fc.stringify(given)})`,
  })
  return { name, weight, moves: given.map(toMove) }
}
