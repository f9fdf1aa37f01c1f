import * as fc from "fast-check"
import type { Catalog } from "../../../../src/ingest.ts"
import { checkCatalog, clearCatalog, look } from "./check.ts"
import { commands } from "./commands.ts"
import { createModel } from "./model.ts"

/** A sequence: what everybody may store, and what is done, each step with a look at something. */
export const sequence = fc.tuple(
  fc.record({ quota: fc.constantFrom(undefined, undefined, 20), ownerQuota: fc.constantFrom(undefined, 10) }),
  fc.array(fc.tuple(fc.oneof(...commands.map(({ weight, moves }) => ({ weight, arbitrary: moves }))), look), {
    minLength: 1,
    maxLength: 20,
    size: "max",
  }),
)

export type Sequence = typeof sequence extends fc.Arbitrary<infer Value> ? Value : never

/** Does a sequence to a catalog that is empty, and compares after each step. Leaves it empty. */
export const play = async (catalog: Catalog, [quotas, steps]: Sequence): Promise<void> => {
  let model = createModel(quotas)
  for (const [move, asked] of steps) {
    model = await move.take(catalog, model)
    await checkCatalog(catalog, model, asked)
  }
  await clearCatalog(catalog, model)
}
