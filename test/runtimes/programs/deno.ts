import { serveOnDeno } from "../../adapters/apps/serve-on-deno.ts"
import { runSuites } from "../suite/run-suites.ts"
import { breakOnce } from "./break-once.ts"

declare const Deno: { readonly args: ReadonlyArray<string>; readonly exit: () => never }

await runSuites(Deno.args, { serve: async (handle) => serveOnDeno(handle), breakOnce }, console.log)
Deno.exit()
