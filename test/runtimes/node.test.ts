import { allSuites, describeRuntime } from "./describe-runtime.ts"
import { fetchNode22 } from "./fetch-node.ts"
import { runInProcess } from "./run-in-process.ts"

describeRuntime({ name: "Node 24", userAgent: "Node.js/24" }, allSuites, runInProcess({ program: "node" }))

describeRuntime({ name: "Node 22", userAgent: "Node.js/22" }, allSuites, async (names) => {
  const runtime = await fetchNode22()
  return typeof runtime === "string" ? runInProcess({ program: "node", runtime })(names) : runtime
})

describeRuntime(
  { name: "Node 24 with Web Crypto alone", userAgent: "Node.js/24", isWebCryptoAlone: true },
  ["signing", "the route handler"],
  runInProcess({ program: "node", isWebCryptoAlone: true }),
)
