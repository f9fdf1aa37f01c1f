import { createIngest, createMemoryBlobStore, createMemoryCatalog } from "../../../../src/ingest.ts"

const catalog = createMemoryCatalog()
const store = createMemoryBlobStore()

interface Context {
  readonly waitUntil: (work: Promise<unknown>) => void
}

/** An ingest without a background for each request, over a catalog that is there before and after. */
export default {
  fetch: async (request: Request, { TOKEN }: { readonly TOKEN: string }, context: Context): Promise<Response> => {
    const ingest = createIngest({ token: TOKEN, catalog, store, background: false, callbackRetries: [20] })
    if (new URL(request.url).pathname === "/cron") return Response.json(await ingest.tick({ budget: 5000 }))
    return ingest.fetch(request, context)
  },
}
