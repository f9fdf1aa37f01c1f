import { isDeepStrictEqual } from "node:util"
import * as fc from "fast-check"
import { expect } from "vitest"
import type { Catalog, FileRecord } from "../../../../src/ingest.ts"
import type { Door } from "./door.ts"
import { isHeld, isReadable, type Kept, type Model } from "./model.ts"

/**
 * One thing that can be done to files.
 *
 * To add one: write it, list it in `commands.ts`, and give {@link Kept} what the model has to know more. Whatever it may do to
 * a file that is stored has to be said by `mayEnd`, `mayClaim` and `mayRelease`: everything else counts as a loss.
 */
export interface Command<Given, Answer> {
  readonly name: string
  /** How often it is chosen, compared with the others. */
  readonly weight: number
  /** What it is done with. What depends on the state is worked out from this and the model when it runs. */
  readonly given: fc.Arbitrary<Given>
  /** The same for what can be asked at an ingest's door, where that is less. */
  readonly givenAtDoor?: fc.Arbitrary<Given>
  readonly run: {
    /**
     * Does it to the model. Returns what is known afterwards, and the answer that a catalog must give.
     *
     * @param answer what the catalog answered, where it has a choice
     */
    readonly model: (model: Model, given: Given, answer: Answer) => readonly [Model, Answer]
    /** Does it to a catalog, which knows what the model knows. */
    readonly catalog?: (catalog: Catalog, given: Given, model: Model) => Promise<Answer>
    /** Does it by requests to an ingest. Without it, it is no part of those sequences. */
    readonly door?: (door: Door, given: Given, model: Model) => Promise<Answer>
  }
  /** Whether it may end a file that is stored, pending or not. By default it may not. */
  readonly mayEnd?: (kept: Kept, given: Given, answer: Answer, before: Model) => boolean
  /** Whether after it a file may need no claim any more. By default it may not. */
  readonly mayClaim?: (kept: Kept, given: Given, answer: Answer) => boolean
  /** Whether it is a verdict on a file that is held. By default it is none. */
  readonly mayRelease?: (kept: Kept, given: Given, answer: Answer) => boolean
}

/** A command with what it is done with. */
export interface Move<Real> {
  /** Does it to both. Returns what must be known afterwards. Fails where the answer is another one. */
  readonly take: (real: Real, model: Model) => Promise<Model>
}

/** A command whose types are known to itself alone. */
export interface AnyCommand {
  readonly name: string
  readonly weight: number
  readonly moves: fc.Arbitrary<Move<Catalog>> | undefined
  readonly movesAtDoor: fc.Arbitrary<Move<Door>> | undefined
}

/** Compares faster than `expect` does, which says what differs. */
export const expectSame = (found: unknown, expected: unknown, what: string): void => {
  if (!isDeepStrictEqual(found, expected)) expect(found, what).toEqual(expected)
}

/** Says only of what is wrong what it is: `expect` would take longer than everything else here. */
export const expectThat = (holds: boolean, what: () => string): void => {
  if (!holds) expect.fail(what())
}

/** The state of a file, which may be held once it has arrived. */
type State = FileRecord["status"] | "Held"

const toState = (kept: Kept): State => (isHeld(kept) ? "Held" : kept.file.status)

/** What may become of a file in one step. */
const fates: { readonly [S in State]: ReadonlyArray<State> } = {
  Uploading: ["Uploading", "Uploaded", "Held", "Failed", "Deleting"],
  Held: ["Held", "Uploaded", "Failed", "Deleting"],
  Uploaded: ["Uploaded", "Deleting"],
  Failed: ["Failed", "Deleting"],
  Deleting: ["Deleting"],
}

/** What nothing may do, whichever command it is. */
const checkFates = (
  before: Model,
  after: Model,
  mayEnd: (kept: Kept) => boolean,
  mayClaim: (kept: Kept) => boolean,
  mayRelease: (kept: Kept) => boolean,
): void => {
  for (const kept of after.files.filter(isHeld)) {
    const { key } = kept.file
    expectThat(!isReadable(kept, after.now), () => `${key} is held, and can be read`)
    expectThat(kept.event === null, () => `${key} is held, and its app is owed an event`)
    expectThat(kept.file.removeAt === null && kept.file.claimBy === null, () => `${key} is held, and its time passes`)
  }
  for (const kept of before.files) {
    const next = after.files.find(({ number }) => number === kept.number)
    if (next === kept) continue
    const { status, key, claimBy, claimWithin } = kept.file
    if (status === "Uploaded" && (next?.file.status !== "Uploaded" || !next.isCurrent)) {
      expectThat(next !== undefined, () => `${key} is gone, and was never deleted`)
      expectThat(mayEnd(kept), () => `${key} was stored, and nothing may have ended it`)
    }
    if (next === undefined) continue
    const [was, is] = [toState(kept), toState(next)]
    expectThat(fates[was].includes(is), () => `${key} was ${was}, and is ${is}`)
    const isJudged = was === "Held" && is !== "Held" && is !== "Deleting"
    expectThat(!isJudged || mayRelease(kept), () => `${key} was held, and is ${is} without a verdict`)
    const mustBeHeld = was === "Uploading" && kept.file.hold && is === "Uploaded"
    expectThat(!mustBeHeld, () => `${key} was to be held, and never was`)
    const waited = claimBy !== null || ((status === "Uploading" || was === "Held") && claimWithin !== null)
    const waits = next.file.claimBy !== null || next.file.claimWithin !== null
    expectThat(waits || !waited || mayClaim(kept), () => `${key} waits no more, and nobody claimed it`)
  }
  const begun = after.files.find(({ number }) => number === before.begun)?.file
  const grave = before.graves.find(({ appId, key }) => appId === begun?.appId && key === begun.key)
  if (begun === undefined || grave === undefined || grave.until <= before.now) return
  expectThat((begun.issuedAt ?? 0) > grave.deletedAt, () => `${begun.key} was deleted, and came back`)
}

export const defineCommand = <Given, Answer>(command: Command<Given, Answer>): AnyCommand => {
  const { name, weight, given, givenAtDoor = given, run } = command
  const { mayEnd = () => false, mayClaim = () => false, mayRelease = () => false } = command
  const toMove =
    <Real>(act: (real: Real, given: Given, model: Model) => Promise<Answer>) =>
    (given: Given): Move<Real> & { readonly [fc.toStringMethod]: () => string } => ({
      take: async (real, model) => {
        const answer = await act(real, given, model)
        const [after, expected] = run.model(model, given, answer)
        expectSame(answer, expected, `the answer to ${name}`)
        checkFates(
          model,
          after,
          (kept) => mayEnd(kept, given, answer, model),
          (kept) => mayClaim(kept, given, answer),
          (kept) => mayRelease(kept, given, answer),
        )
        return after
      },
      // Without what is not given.
      [fc.toStringMethod]: () => `${name} ${JSON.stringify(given)}`,
    })
  return {
    name,
    weight,
    moves: run.catalog && given.map(toMove(run.catalog)),
    movesAtDoor: run.door && givenAtDoor.map(toMove(run.door)),
  }
}
