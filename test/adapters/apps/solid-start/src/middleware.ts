import { createMiddleware } from "@solidjs/start/middleware"
import { getRequestEvent } from "solid-js/web"
import { probeHeader } from "../../../../../src/conformance/adapter/test-router.ts"

declare global {
  namespace App {
    interface RequestEventLocals {
      probe: string | null
    }
  }
}

export default createMiddleware([
  async (event, next) => {
    const { locals, request } = getRequestEvent()!
    locals.probe = event.req.headers.get(probeHeader)
    if (event.url.pathname.includes("/cloned/")) await request.clone().text()
    return next()
  },
])
