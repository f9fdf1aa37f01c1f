import { createRootRoute, createRoute } from "@tanstack/react-router"
import { createMiddleware } from "@tanstack/react-start"
import { expectTypeOf, test } from "vitest"
import * as express from "../../adapters/express.ts"
import { createRouteHandler, createSluice, type TanStackStartNative } from "../../adapters/tanstack-start.ts"
import { createTestRouter } from "../../src/conformance/adapter/test-router.ts"
import type { startInstance } from "./apps/tanstack-start/src/start.ts"

const f = createSluice()

test("user code gets the context of the global request middleware, typed", () => {
  expectTypeOf<typeof startInstance>().not.toBeAny()
  f({ image: {} }).middleware(({ context, params, request }) => {
    expectTypeOf(context).toEqualTypeOf<{ probe: string | null }>()
    expectTypeOf(params).toEqualTypeOf<Readonly<Record<string, string | undefined>>>()
    expectTypeOf(request).toEqualTypeOf<Request>()
    return {}
  })
  f({ image: {} }).onUploadComplete(({ context }) => {
    expectTypeOf(context).toEqualTypeOf<TanStackStartNative["context"]>()
  })
})

test("the handlers fit into a server route, whatever middleware it has", () => {
  const handlers = createRouteHandler({ router: createTestRouter(f, ({ context }) => context.probe) })
  const signIn = createMiddleware().server(({ next }) => next({ context: { user: 1 } }))
  const getParentRoute = () => createRootRoute()
  createRoute({ getParentRoute, path: "/api/sluice", server: { handlers } })
  createRoute({ getParentRoute, path: "/api/$tenant/sluice", server: { middleware: [signIn], handlers } })
})

test("a router of another framework's builder is refused", () => {
  const router = createTestRouter(express.createSluice(), ({ req }) => req.get("x"))
  // @ts-expect-error: its middleware wants `req`
  createRouteHandler({ router })
})
