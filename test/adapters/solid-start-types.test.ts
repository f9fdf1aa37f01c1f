import type { APIEvent, APIHandler } from "@solidjs/start/server"
import { expectTypeOf, test } from "vitest"
import * as express from "../../adapters/express.ts"
import { createRouteHandler, createSluice } from "../../adapters/solid-start.ts"
import { createTestRouter } from "../../src/conformance/adapter/test-router.ts"

const f = createSluice()

test("user code gets SolidStart's event, with the app's own locals", () => {
  expectTypeOf<APIEvent>().not.toBeAny()
  f({ image: {} })
    .middleware(({ event }) => {
      expectTypeOf(event).toEqualTypeOf<APIEvent>()
      // As src/middleware.ts of the test app declares it.
      expectTypeOf(event.locals.probe).toEqualTypeOf<string | null>()
      return {}
    })
    .onUploadComplete(({ event }) => expectTypeOf(event).toEqualTypeOf<APIEvent>())
})

test("the handlers are those of an API route", () => {
  const { GET, POST } = createRouteHandler({ router: createTestRouter(f, ({ event }) => event.locals.probe) })
  expectTypeOf(GET).toExtend<APIHandler>()
  expectTypeOf(POST).toExtend<APIHandler>()
})

test("a router of another framework's builder is refused", () => {
  const router = createTestRouter(express.createSluice(), ({ req }) => req.get("x"))
  // @ts-expect-error: its middleware wants `req`
  createRouteHandler({ router })
})
