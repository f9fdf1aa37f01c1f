import { describeAdapter } from "../conformance/adapter.ts"
import { skipsOnWorkerd, startApp } from "../runtimes/start-app.ts"

const noParsers = {
  test: "behind a body parser it works or names the fix",
  reason: "where there is no framework nothing stands before the handler",
}

describeAdapter("plain fetch on Bun", (configuration) => startApp("fetch", "bun", configuration), [noParsers])
describeAdapter("plain fetch on Deno", (configuration) => startApp("fetch", "deno", configuration), [noParsers])
describeAdapter("plain fetch on workerd", (configuration) => startApp("fetch", "worker", configuration), [
  noParsers,
  ...skipsOnWorkerd,
])
