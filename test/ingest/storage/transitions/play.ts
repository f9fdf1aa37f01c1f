import * as fc from "fast-check"
import type { Catalog } from "../../../../src/ingest.ts"
import { checkCatalog, clearCatalog, look } from "./check.ts"
import { commands } from "./commands.ts"
import { createModel } from "./model.ts"

const move = fc.oneof(...commands.map(({ weight, moves }) => ({ weight, arbitrary: moves })))

/** What is done, and what is looked at then. */
const step = fc.tuple(move, look).map(([move, asked]) => ({
  move,
  asked,
  [fc.toStringMethod]: () => fc.stringify(move) + (asked === null ? "" : ` (look at ${JSON.stringify(asked)})`),
}))

/** What everybody may store, and what is done. */
export const sequence = fc.tuple(
  fc.record({ quota: fc.constantFrom(undefined, undefined, 20), ownerQuota: fc.constantFrom(undefined, 10) }),
  fc.array(step, { minLength: 1, maxLength: 20, size: "max" }),
)

export type Sequence = typeof sequence extends fc.Arbitrary<infer Value> ? Value : never

/** Does a sequence to a catalog that is empty, and compares after each step. Leaves it empty. */
export const play = async (catalog: Catalog, [quotas, steps]: Sequence): Promise<void> => {
  let model = createModel(quotas)
  for (const { move, asked } of steps) {
    model = await move.take(catalog, model)
    await checkCatalog(catalog, model, asked)
  }
  await clearCatalog(catalog, model)
}
