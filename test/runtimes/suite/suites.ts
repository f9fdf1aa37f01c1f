import { client } from "./client.ts"
import { ingest } from "./ingest.ts"
import { routeHandler } from "./route-handler.ts"
import { serverApi } from "./server-api.ts"
import { signing } from "./signing.ts"
import type { Suite } from "./suite.ts"

/** Everything that is tried on a runtime. */
export const suites = {
  signing,
  "the route handler": routeHandler,
  "the ingest": ingest,
  "the server API": serverApi,
  "the client": client,
} satisfies Readonly<Record<string, Suite>>
