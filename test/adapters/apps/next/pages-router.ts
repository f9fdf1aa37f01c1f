import { createRouteHandler, createSluice } from "../../../../adapters/next-pages.ts"
import { createTestRouter, probeHeader } from "../test-router.ts"

const router = createTestRouter(createSluice(), ({ req }) =>
  typeof req.query === "object" ? req.headers[probeHeader]?.toString() : "not a NextApiRequest",
)

export const handler = createRouteHandler({ router, logLevel: "None" })
export const config = { api: { bodyParser: false } }
