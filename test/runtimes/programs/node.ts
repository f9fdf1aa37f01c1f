import { createServer } from "node:http"
import { toNodeListener } from "../../../adapters/node.ts"
import { listen } from "../../adapters/apps/listen.ts"
import { runSuites } from "../suite/run-suites.ts"
import { breakOnce } from "./break-once.ts"

await runSuites(
  process.argv.slice(2),
  { serve: (handle) => listen(createServer(toNodeListener(handle))), breakOnce },
  console.log,
)
process.exit()
