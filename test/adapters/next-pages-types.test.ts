import type { NextApiRequest, NextApiResponse } from "next/dist/shared/lib/utils.js"
import { expectTypeOf, test } from "vitest"
import * as next from "../../adapters/next.ts"
import { createRouteHandler, createSluice, type FileRouter, type NextPagesNative } from "../../adapters/next-pages.ts"

test("user code gets the types of an API route; a router of the App Router is refused", () => {
  const f = createSluice()
  const router = {
    a: f({ blob: {} })
      .middleware(({ req, res, request }) => {
        expectTypeOf(req).toEqualTypeOf<NextApiRequest>()
        expectTypeOf(res).toEqualTypeOf<NextApiResponse>()
        expectTypeOf(request).toEqualTypeOf<Request>()
        return {}
      })
      .onUploadComplete(() => null),
  } satisfies FileRouter<NextPagesNative>
  expectTypeOf(createRouteHandler({ router })).toEqualTypeOf<
    (req: NextApiRequest, res: NextApiResponse) => Promise<void>
  >()
  const other = {
    a: next
      .createSluice()({ blob: {} })
      .onUploadComplete(({ req }) => req.nextUrl.pathname),
  }
  // @ts-expect-error its code wants a NextRequest
  createRouteHandler({ router: other })
})
