import { createIngest, createMemoryBlobStore, createSqliteCatalog } from "../../src/ingest.ts"
import { encodeToken, names } from "../../src/protocol.ts"
import { appId } from "./fill-catalog.ts"

/** The REST API of an ingest over a catalog of `fillCatalog`, which sweeps nothing meanwhile. */
export const openRest = (file: string) => {
  const apiKey = "sk_bench"
  const ingest = createIngest({
    token: encodeToken({ apiKey, appId, regions: ["local"] }),
    url: "http://localhost:4790",
    store: createMemoryBlobStore(),
    catalog: createSqliteCatalog({ file }),
    logLevel: "None",
    sweepInterval: 2 ** 31 - 1,
  })
  return {
    call: async <A>(operation: string, body: object = {}): Promise<A> => {
      const response = await ingest.fetch(
        new Request(`http://localhost:4790/${names.path.api}/${operation}`, {
          method: "POST",
          headers: { [names.header.apiKey]: apiKey, "content-type": "application/json" },
          body: JSON.stringify(body),
        }),
      )
      const answer: unknown = await response.json()
      if (!response.ok) throw new Error(`${operation} answered ${response.status}: ${JSON.stringify(answer)}`)
      return answer as A
    },
    close: () => ingest.close(),
  }
}
