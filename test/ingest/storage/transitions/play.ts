import * as fc from "fast-check"
import type { Catalog } from "../../../../src/ingest.ts"
import { checkCatalog, clearCatalog, look } from "./check.ts"
import { commands } from "./commands.ts"
import { openEndpoint } from "./endpoint.ts"
import { createModel } from "./model.ts"

const move = fc.oneof(...commands.flatMap(({ weight, moves }) => (moves ? [{ weight, arbitrary: moves }] : [])))

/** What is done, and what is looked at then. */
const step = fc.tuple(move, look).map(([move, asked]) => ({
  move,
  asked,
  [fc.toStringMethod]: () => fc.stringify(move) + (asked === null ? "" : ` (look at ${JSON.stringify(asked)})`),
}))

const quotas = fc.record({
  quota: fc.constantFrom(undefined, undefined, 12, 20),
  ownerQuota: fc.constantFrom(undefined, undefined, 6, 10),
})

/** The members of a sequence, each on a line where it is shown. */
const steps = <Step>(one: fc.Arbitrary<Step>, maxLength: number) =>
  fc
    .array(one, { minLength: 1, maxLength, size: "max" })
    .map((all) =>
      Object.assign(all, { [fc.toStringMethod]: () => all.map((each) => `\n  ${fc.stringify(each)}`).join("") }),
    )

/** What everybody may store, and what is done to a catalog. */
export const sequence = fc.tuple(quotas, steps(step, 20))

const moveAtDoor = fc.oneof(
  ...commands.flatMap(({ weight, movesAtDoor }) => (movesAtDoor ? [{ weight, arbitrary: movesAtDoor }] : [])),
)

/** The same at the door of an ingest. */
export const sequenceAtDoor = fc.tuple(quotas, steps(moveAtDoor, 15))

export type Sequence = typeof sequence extends fc.Arbitrary<infer Value> ? Value : never

/** Does a sequence to a catalog that is empty, and compares after each step. Leaves it empty. */
export const play = async (catalog: Catalog, [quotas, steps]: Sequence): Promise<void> => {
  let model = createModel(quotas)
  const endpoint = await openEndpoint(catalog, model.now)
  for (const { move, asked } of steps) {
    const before = model
    model = await move.take(catalog, model)
    await checkCatalog(catalog, model, asked)
    await endpoint.check([before, ...model.between, model])
    model = { ...model, between: [] }
  }
  await endpoint.close()
  await clearCatalog(catalog, model)
}
