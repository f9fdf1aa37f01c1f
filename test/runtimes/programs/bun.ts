import { serveOnBun } from "../../adapters/apps/serve-on-bun.ts"
import { runSuites } from "../suite/run-suites.ts"
import { breakOnce } from "./break-once.ts"

await runSuites(process.argv.slice(2), { serve: async (handle) => serveOnBun(handle), breakOnce }, console.log)
process.exit()
