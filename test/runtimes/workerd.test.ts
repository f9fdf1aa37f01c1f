import { join } from "node:path"
import { bundleProgram } from "./bundle-program.ts"
import { describeRuntime, type Run, type SuiteName } from "./describe-runtime.ts"
import { createFolder, startWorker, type WorkerOptions } from "./runtimes.ts"

/** Runs suites within one request to a worker. */
const runInWorker =
  (options: WorkerOptions) =>
  async (names: ReadonlyArray<SuiteName>): Promise<Run> => {
    const { folder, remove } = await createFolder()
    try {
      await bundleProgram("test/runtimes/programs/worker.ts", join(folder, "worker.mjs"))
      const worker = await startWorker(folder, options)
      try {
        const query = new URLSearchParams(names.map((name) => ["suite", name]))
        const lines = await (await fetch(`${worker.origin}/?${query}`)).text()
        return `${worker.output()}\n${lines}`
      } finally {
        await worker.close()
      }
    } finally {
      await remove()
    }
  }

const userAgent = "Cloudflare-Workers"
const noSockets = "a worker listens on no socket: the client's suite needs an app and an ingest it can reach"
const noCrypto = "the ingest needs `node:crypto`, which a worker without `process` does not have"

describeRuntime(
  { name: "workerd", userAgent },
  ["signing", "the route handler", "the ingest", "the server API"],
  runInWorker({ compatibilityDate: "2026-10-01" }),
  { "the client": noSockets },
)

describeRuntime(
  { name: "workerd with nodejs_compat, before it was the default", userAgent },
  ["signing", "the route handler", "the ingest", "the server API"],
  runInWorker({ compatibilityDate: "2025-10-01", compatibilityFlags: ["nodejs_compat"] }),
  { "the client": noSockets },
)

describeRuntime(
  { name: "workerd without nodejs_compat", userAgent },
  ["signing", "the route handler", "the ingest", "the server API"],
  runInWorker({ compatibilityDate: "2026-10-01", compatibilityFlags: ["no_nodejs_compat"] }),
  { "the client": noSockets },
)

describeRuntime(
  { name: "workerd with Web Crypto alone", userAgent, isWebCryptoAlone: true },
  ["signing", "the route handler"],
  runInWorker({ compatibilityDate: "2025-10-01" }),
  { "the ingest": noCrypto, "the server API": noCrypto, "the client": noSockets },
)
