import { createContext, type LoaderFunctionArgs, type RouterContextProvider } from "react-router"
import { expectTypeOf, test } from "vitest"
import * as express from "../../adapters/express.ts"
import { createRouteHandler, createSluice } from "../../adapters/react-router.ts"
import { createTestRouter } from "../../src/conformance/adapter/test-router.ts"

const userContext = createContext<{ id: number }>()
const f = createSluice()

test("user code gets context and params of loaders and actions, typed", () => {
  f({ image: {} })
    .middleware(({ context, params, request }) => {
      expectTypeOf(context).toEqualTypeOf<Readonly<RouterContextProvider>>()
      expectTypeOf(params).toEqualTypeOf<LoaderFunctionArgs["params"]>()
      expectTypeOf(request).toEqualTypeOf<Request>()
      return { user: context.get(userContext).id }
    })
    .onUploadComplete(({ context, metadata }) => {
      expectTypeOf(context.get(userContext)).toEqualTypeOf<{ id: number }>()
      expectTypeOf(metadata).toEqualTypeOf<{ user: number }>()
    })
})

test("a router of another framework's builder is refused", () => {
  const router = createTestRouter(express.createSluice(), ({ req }) => req.get("x"))
  // @ts-expect-error: its middleware wants `req`
  createRouteHandler({ router })
})
