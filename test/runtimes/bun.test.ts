import { allSuites, describeRuntime } from "./describe-runtime.ts"
import { runInProcess } from "./run-in-process.ts"
import { bun } from "./runtimes.ts"

describeRuntime({ name: "Bun", userAgent: "Bun/1" }, allSuites, runInProcess({ program: "bun", runtime: bun }))

describeRuntime(
  { name: "Bun with Web Crypto alone", userAgent: "Bun/1", isWebCryptoAlone: true },
  ["signing", "the route handler"],
  runInProcess({ program: "bun", runtime: bun, isWebCryptoAlone: true }),
)
