import { runSuites } from "../suite/run-suites.ts"
import { breakOnce } from "./break-once.ts"

declare const Bun: {
  readonly serve: (options: {
    readonly port: number
    readonly hostname: string
    readonly fetch: (request: Request) => Promise<Response>
  }) => { readonly port: number; readonly stop: (isForced: boolean) => Promise<void> }
}

await runSuites(
  process.argv.slice(2),
  {
    serve: async (handle) => {
      const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: handle })
      return { origin: `http://127.0.0.1:${server.port}`, close: () => server.stop(true) }
    },
    breakOnce,
  },
  console.log,
)
process.exit()
