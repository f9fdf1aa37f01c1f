import type { CatalogHolds } from "../catalog/holds.ts"
import { appsWithHeld, edgeOfHeld, heldOfApp } from "./holds.ts"
import { type Row, toUpload } from "./rows.ts"
import { hasOpenDeletion, type StepReader, type Value } from "./step-reader.ts"

/**
 * What waits for a verdict in a catalog over SQL, in steps where a deletion may mean very many of it.
 *
 * @param except how the statement leaves out the ids in `:except`, and what that parameter is for some ids
 */
export const createHeldListing = (
  reader: StepReader,
  except: { readonly sql: string; readonly toValue: (ids: ReadonlyArray<number>) => Value },
): Pick<CatalogHolds, "listHeld"> => {
  const { all, pause, longestStep: step } = reader
  const listApp = async (appId: string, limit: number, excepted: Value): Promise<ReadonlyArray<Row>> => {
    const isStepped = await hasOpenDeletion(reader, appId)
    const found: Array<Row> = []
    for (let after = 0; ;) {
      const [edge] = isStepped ? await all(edgeOfHeld, { appId, after, step }) : []
      const to = (edge?.id as number | undefined) ?? Number.MAX_SAFE_INTEGER
      const room = limit - found.length
      found.push(...(await all(heldOfApp(except.sql), { appId, after, to, except: excepted, limit: room })))
      if (edge === undefined || found.length === limit) return found
      after = to
      await pause()
    }
  }

  return {
    listHeld: async (list) => {
      const excepted = except.toValue([...list.except])
      const found: Array<Row> = []
      for (const { appId } of await all(appsWithHeld, {})) {
        found.push(...(await listApp(appId as string, list.limit, excepted)))
      }
      return found.map(toUpload)
    },
  }
}
