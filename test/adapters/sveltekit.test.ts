import { randomUUID } from "node:crypto"
import { rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { describeAdapter } from "../conformance/adapter.ts"
import { toAddresses, toEnvironment } from "./apps/built-app.ts"
import { findFreePort } from "./apps/listen.ts"
import { runProgram, startProgram } from "./apps/start-process.ts"
import { writeUploadPage } from "./apps/upload-page.ts"

const cwd = fileURLToPath(new URL("apps/sveltekit", import.meta.url))
const vite = fileURLToPath(new URL("../../node_modules/vite/bin/vite.js", import.meta.url))

describeAdapter(
  "SvelteKit",
  async (configuration) => {
    const folder = `.svelte-kit/${randomUUID()}`
    const port = String(await findFreePort())
    const origin = `http://127.0.0.1:${port}`
    await writeUploadPage(`${cwd}/static/upload.html`, "/nested/api/sluice")
    await runProgram([vite, "build"], { cwd, env: { DIST_FOLDER: folder, ORIGIN: origin } })
    const { close } = await startProgram([`${folder}/build`], {
      cwd,
      // The size of bodies is 512 kB by default, and then the answer is its own.
      env: { ...toEnvironment(configuration), PORT: port, BODY_SIZE_LIMIT: "Infinity" },
    })
    return {
      ...toAddresses(origin),
      runs: "`vite build`, adapter-node",
      close: async () => {
        await close()
        await rm(`${cwd}/${folder}`, { recursive: true, force: true })
      },
    }
  },
  [
    {
      test: "behind a body parser it works or names the fix",
      reason: "SvelteKit has no body parsers",
    },
    {
      test: "another method is a 405 problem",
      reason: "SvelteKit itself answers methods that an endpoint does not export",
    },
  ],
)
