import { allSuites, describeRuntime } from "./describe-runtime.ts"
import { runInProcess } from "./run-in-process.ts"
import { deno, denoRun } from "./runtimes.ts"

describeRuntime(
  { name: "Deno", userAgent: "Deno/2" },
  allSuites,
  runInProcess({ program: "deno", runtime: deno, args: denoRun }),
)

describeRuntime(
  { name: "Deno with Web Crypto alone", userAgent: "Deno/2", isWebCryptoAlone: true },
  ["signing", "the route handler"],
  runInProcess({ program: "deno", runtime: deno, args: denoRun, isWebCryptoAlone: true }),
)
