import { createRouteHandler, createSluice } from "../../../../adapters/next-pages.ts"
import { createTestRouter, probeHeader } from "../../../../src/conformance/adapter/test-router.ts"

const router = createTestRouter(createSluice(), ({ req }) =>
  req.query["slug"] === undefined ? "not a NextApiRequest" : req.headers[probeHeader]?.toString(),
)

export const handler = createRouteHandler({ router, logLevel: "None" })
