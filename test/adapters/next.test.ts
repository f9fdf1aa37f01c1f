import { randomUUID } from "node:crypto"
import { rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { describeAdapter } from "../conformance/adapter.ts"
import { runProgram, startProgram } from "./apps/start-process.ts"
import { writeUploadPage } from "./apps/upload-page.ts"

const folder = fileURLToPath(new URL("apps/next", import.meta.url))
const next = createRequire(import.meta.url).resolve("next/dist/bin/next")

describeAdapter(
  "Next.js",
  async ({ token, ingestUrl }) => {
    const dist = `.next/${randomUUID()}`
    const env = {
      DIST_FOLDER: dist,
      NEXT_TELEMETRY_DISABLED: "1",
      SLUICE_TOKEN: token,
      SLUICE_INGEST_URL: ingestUrl,
    }
    await writeUploadPage(`${folder}/public/upload.html`, "/nested/api/sluice")
    await runProgram([next, "build"], { cwd: folder, env })
    const { origin, close } = await startProgram([next, "start", "-H", "127.0.0.1", "-p", "0"], { cwd: folder, env })
    return {
      url: `${origin}/nested/api/sluice`,
      probeUrl: `${origin}/nested/probe`,
      pageUrl: `${origin}/nested/upload.html`,
      runs: "`next build`, `next start`",
      close: async () => {
        await close()
        await rm(`${folder}/${dist}`, { recursive: true, force: true })
      },
    }
  },
  [
    {
      test: "behind a body parser it works or names the fix",
      reason: "nothing can read the body before a Next.js route handler",
    },
    {
      test: "another method is a 405 problem",
      reason: "Next.js itself answers methods that a route file does not export",
    },
  ],
)
