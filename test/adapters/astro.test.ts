import { randomUUID } from "node:crypto"
import { mkdir, rm, writeFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { describeAdapter } from "../conformance/adapter.ts"
import { runProgram, startProgram } from "./apps/start-process.ts"
import { createUploadPage } from "./apps/upload-page.ts"

const cwd = fileURLToPath(new URL("apps/astro", import.meta.url))
const astro = fileURLToPath(new URL("../../node_modules/astro/bin/astro.mjs", import.meta.url))

describeAdapter(
  "Astro",
  async ({ token, ingestUrl }) => {
    const folder = `.astro/${randomUUID()}`
    await mkdir(`${cwd}/${folder}/public`, { recursive: true })
    await writeFile(`${cwd}/${folder}/public/upload.html`, await createUploadPage("/nested/api/sluice"))
    const env = { ASTRO_TELEMETRY_DISABLED: "1", DIST_FOLDER: folder }
    await runProgram([astro, "build"], { cwd, env })
    const { origin, close } = await startProgram([`${folder}/dist/server/entry.mjs`], {
      cwd,
      env: { HOST: "127.0.0.1", PORT: "0", SLUICE_TOKEN: token, SLUICE_INGEST_URL: ingestUrl },
    })
    return {
      url: `${origin}/nested/api/sluice`,
      probeUrl: `${origin}/nested/probe`,
      pageUrl: `${origin}/nested/upload.html`,
      close: async () => {
        await close()
        await rm(`${cwd}/${folder}`, { recursive: true, force: true })
      },
    }
  },
  [
    {
      test: "behind a body parser it works or names the fix",
      reason: "Astro has no body parsers",
    },
    {
      test: "another method is a 405 problem",
      reason: "Astro itself answers methods that an endpoint does not export",
    },
  ],
)
