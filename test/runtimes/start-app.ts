import { join } from "node:path"
import { startProgram } from "../adapters/apps/start-process.ts"
import { createUploadPage } from "../adapters/apps/upload-page.ts"
import type { AppConfiguration, RunningApp, Skip } from "../conformance/adapter.ts"
import { bundleProgram } from "./bundle-program.ts"
import { bun, createFolder, deno, denoRun, startWorker } from "./runtimes.ts"

const runs = {
  bun: "`Bun.serve`",
  deno: "`Deno.serve`",
  worker: "`export default { fetch }` on workerd",
}

/** What workerd makes senseless, whatever runs on it. */
export const skipsOnWorkerd: ReadonlyArray<Skip> = [
  {
    test: "the signal aborts when the client leaves",
    reason: "when a client leaves, workerd ends its request at once, and nothing of it is left to be told",
  },
  {
    test: "a body that is too large is refused while it is still coming",
    reason:
      "workerd closes the connection of a body that is not read to its end: whether a client sees the 413 is luck",
  },
]

/** Bundles an app of `test/adapters/apps` for a runtime and starts it there, set up by the environment alone. */
export const startApp = async (
  app: "fetch" | "hono",
  runtime: keyof typeof runs,
  { token, ingestUrl }: AppConfiguration,
  settings: Readonly<Record<string, string>> = {},
): Promise<Omit<RunningApp, "parsers"> & { readonly origin: string }> => {
  const { folder, remove } = await createFolder()
  const uploadPage = await createUploadPage("/nested/api/sluice")
  await bundleProgram(`test/adapters/apps/${app}/${runtime}.ts`, join(folder, "worker.mjs"), { texts: { uploadPage } })
  const env = { SLUICE_TOKEN: token, SLUICE_INGEST_URL: ingestUrl, DENO_NO_UPDATE_CHECK: "1", ...settings }
  const { origin, close } =
    runtime === "worker"
      ? await startWorker(folder, { compatibilityDate: "2026-10-01", env })
      : await startProgram([...(runtime === "deno" ? denoRun : []), "worker.mjs"], {
          cwd: folder,
          runtime: runtime === "deno" ? deno : bun,
          env,
        })
  return {
    origin,
    url: `${origin}/nested/api/sluice`,
    probeUrl: `${origin}/probe`,
    pageUrl: `${origin}/upload.html`,
    runs: runs[runtime],
    close: async () => {
      await close()
      await remove()
    },
  }
}
