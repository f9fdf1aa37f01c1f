import { runSuites } from "../suite/run-suites.ts"
import { breakOnce } from "./break-once.ts"

declare const Deno: {
  readonly args: ReadonlyArray<string>
  readonly exit: () => never
  readonly serve: (
    options: {
      readonly port: number
      readonly hostname: string
      readonly onListen: () => void
      readonly signal: AbortSignal
    },
    handle: (request: Request) => Promise<Response>,
  ) => { readonly addr: { readonly port: number }; readonly finished: Promise<void> }
}

await runSuites(
  Deno.args,
  {
    serve: async (handle) => {
      const stop = new AbortController()
      const options = { port: 0, hostname: "127.0.0.1", onListen: () => {}, signal: stop.signal }
      const { addr, finished } = Deno.serve(options, handle)
      return {
        origin: `http://127.0.0.1:${addr.port}`,
        close: () => {
          stop.abort()
          return finished
        },
      }
    },
    breakOnce,
  },
  console.log,
)
Deno.exit()
