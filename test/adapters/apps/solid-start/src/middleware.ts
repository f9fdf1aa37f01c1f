import { createMiddleware } from "@solidjs/start/middleware"
import { getRequestEvent } from "solid-js/web"
import { probeHeader } from "../../test-router.ts"

declare global {
  namespace App {
    interface RequestEventLocals {
      probe: string | null
    }
  }
}

export default createMiddleware([
  (event, next) => {
    getRequestEvent()!.locals.probe = event.req.headers.get(probeHeader)
    return next()
  },
])
