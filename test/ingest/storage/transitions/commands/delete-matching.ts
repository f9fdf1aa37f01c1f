import * as fc from "fast-check"
import type { Catalog } from "../../../../../src/ingest.ts"
import type { FileSelection } from "../../../../../src/protocol.ts"
import { checkVisible } from "../check.ts"
import { type Command, expectSame, expectThat } from "../command.ts"
import { appId } from "../given.ts"
import { deleteKept, type Kept, type Model, owners, uploadLifetime } from "../model.ts"
import { changeFiles, claim } from "./app.ts"
import { judgeFiles } from "./judge.ts"
import { commitWhole } from "./uploads.ts"

/** What is done while a deletion has not reached all of its files. */
interface Meanwhile {
  /** Quotas decide what comes of it. */
  readonly isCounted: boolean
  readonly model: (model: Model) => readonly [Model, unknown]
  readonly catalog: (catalog: Catalog, model: Model) => Promise<unknown>
  readonly mayEnd: (kept: Kept, answer: unknown, before: Model) => boolean
  readonly mayClaim: (kept: Kept, answer: unknown) => boolean
  readonly mayRelease: (kept: Kept, answer: unknown) => boolean
}

/** Another command as what is done meanwhile. None of these has an answer that is the catalog's choice. */
const doMeanwhile = <Given, Answer>(command: Command<Given, Answer>, isCounted = false): fc.Arbitrary<Meanwhile> =>
  command.given.map((given) => ({
    isCounted,
    model: (model) => command.run.model(model, given, undefined as Answer),
    catalog: (catalog, model) => command.run.catalog!(catalog, given, model),
    mayEnd: (kept, answer, before) => command.mayEnd?.(kept, given, answer as Answer, before) ?? false,
    mayClaim: (kept, answer) => command.mayClaim?.(kept, given, answer as Answer) ?? false,
    mayRelease: (kept, answer) => command.mayRelease?.(kept, given, answer as Answer) ?? false,
    toJSON: () => `${command.name} ${JSON.stringify(given)}`,
  }))

interface Deletion {
  readonly appId: string
  readonly selection: FileSelection
  readonly limit: number
  readonly meanwhile: ReadonlyArray<Meanwhile>
}

interface Deleted {
  readonly keys: ReadonlyArray<string>
  readonly meanwhile: ReadonlyArray<unknown>
}

const owner = fc.constantFrom(...owners)
const prefix = fc.constantFrom("a", "a/", "b/")
const selection: fc.Arbitrary<FileSelection> = fc.oneof(
  fc.record({ owner }),
  fc.record({ prefix }),
  fc.record({ owner, prefix }),
)

/** What is taken of the quotas follows in steps: a file comes meanwhile where there are none. */
const isLeftOut = ({ quota, ownerQuota }: Model, { isCounted }: Meanwhile): boolean =>
  isCounted && (quota !== undefined || ownerQuota !== undefined)

const erase = (model: Model, { appId, selection: { owner, prefix } }: Deletion): readonly [Model, Deleted["keys"]] => {
  const meant = model.files.filter(
    ({ file, isCurrent }) =>
      isCurrent &&
      file.appId === appId &&
      file.status !== "Deleting" &&
      (owner === undefined || file.owner === owner) &&
      (prefix === undefined || file.path?.startsWith(prefix) === true),
  )
  const others = model.deletions.filter(
    (each) => each.appId !== appId || each.owner !== owner || each.prefix !== prefix,
  )
  const deletions = [...others, { appId, owner, prefix, askedAt: model.now }]
  return [meant.reduce(deleteKept, { ...model, deletions }), meant.map(({ file }) => file.key).toSorted()]
}

/** An app deletes all files of an owner, or below a prefix. */
export const deleteMatching: Command<Deletion, Deleted> = {
  name: "delete all",
  weight: 4,
  given: fc.record({
    appId,
    selection,
    limit: fc.constantFrom(1, 1, 1, 100),
    meanwhile: fc.array(
      fc.oneof(doMeanwhile(changeFiles), doMeanwhile(judgeFiles), doMeanwhile(claim), doMeanwhile(commitWhole, true)),
      { maxLength: 3, size: "max" },
    ),
  }),
  givenAtDoor: fc.record({
    appId: fc.constant("app"),
    selection,
    limit: fc.constant(1),
    meanwhile: fc.constant([]),
  }),
  run: {
    model: (model, given) => {
      const [erased, keys] = erase(model, given)
      let after = erased
      const meanwhile: Array<unknown> = []
      const between: Array<Model> = []
      for (const each of given.meanwhile) {
        between.push(after)
        const [next, answer] = isLeftOut(model, each) ? [after, null] : each.model(after)
        after = next
        meanwhile.push(answer)
      }
      return [
        { ...after, between },
        { keys, meanwhile },
      ]
    },
    catalog: async (catalog, given, model) => {
      const { now } = model
      const { appId, selection, limit, meanwhile } = given
      const deleted = await catalog.deleteMatching({ appId, selection, now, limit })
      if (deleted.kind !== "deleted") throw new Error("There is no bound.")
      let [after] = erase(model, given)
      await checkVisible(catalog, after)
      const answers: Array<unknown> = []
      for (const each of meanwhile) {
        if (isLeftOut(model, each)) {
          answers.push(null)
          continue
        }
        answers.push(await each.catalog(catalog, after))
        after = each.model(after)[0]
        await checkVisible(catalog, after)
      }
      const keys = [...deleted.keys]
      for (let isOver = false; !isOver;) {
        const step = await catalog.continueDeletions({ now, limit })
        expectThat(step.keys.length <= limit, () => "A step marked more files than it may.")
        keys.push(...step.keys)
        isOver = step.isDone
      }
      const [newest] = await catalog.listDeletions(appId, 1)
      expectSame([newest?.deletedCount, newest?.doneAt], [keys.length, now], "how many files were deleted")
      return { keys: keys.toSorted(), meanwhile: answers }
    },
    door: async (door, given, model) => {
      const [, keys] = erase(model, given)
      const answer = await door.call<{ deletedCount: number; isDone: boolean }>("deleteFiles", given.selection)
      expectSame([answer.deletedCount, answer.isDone], [keys.length, true], "how many files were deleted")
      // Which ones they were is seen by reading them.
      return { keys, meanwhile: [] }
    },
  },
  mayEnd: (kept, { meanwhile }, answer, before) =>
    answer.keys.includes(kept.file.key) ||
    answer.meanwhile.some((each, i) => each !== null && meanwhile[i]!.mayEnd(kept, each, before)),
  mayClaim: (kept, { meanwhile }, answer) =>
    answer.meanwhile.some((each, i) => each !== null && meanwhile[i]!.mayClaim(kept, each)),
  mayRelease: (kept, { meanwhile }, answer) =>
    answer.meanwhile.some((each, i) => each !== null && meanwhile[i]!.mayRelease(kept, each)),
}

/** Deletions that are done are forgotten. */
export const forgetDeletions: Command<{ readonly age: number }, number> = {
  name: "forget deletions",
  weight: 1,
  given: fc.record({ age: fc.constantFrom(0, uploadLifetime) }),
  run: {
    model: (model, { age }) => {
      const deletions = model.deletions.filter(({ askedAt }) => askedAt >= model.now - age)
      return [{ ...model, deletions }, model.deletions.length - deletions.length]
    },
    catalog: (catalog, { age }, { now }) => catalog.forgetDeletions({ before: now - age, limit: 100 }),
  },
}
