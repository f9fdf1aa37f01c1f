import type { MiddlewareFunction } from "react-router"

export { action, loader } from "./api.sluice.ts"

export const middleware: ReadonlyArray<MiddlewareFunction<Response>> = [
  async ({ request }, next) => {
    await request.clone().text()
    return next()
  },
]
