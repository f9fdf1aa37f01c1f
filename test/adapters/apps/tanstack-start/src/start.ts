import { createMiddleware, createStart } from "@tanstack/react-start"
import { probeHeader } from "../../../../../src/conformance/adapter/test-router.ts"

const readProbe = createMiddleware().server(({ next, request }) =>
  next({ context: { probe: request.headers.get(probeHeader) } }),
)

export const startInstance = createStart(() => ({ requestMiddleware: [readProbe] }))

// As the generated route tree has it, which is there only during a build.
declare module "@tanstack/react-start" {
  interface Register {
    config: Awaited<ReturnType<typeof startInstance.getOptions>>
  }
}
