import { randomUUID } from "node:crypto"
import { rm } from "node:fs/promises"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { afterAll } from "vitest"
import { type AppConfiguration, describeAdapter } from "../conformance/adapter.ts"
import { toAddresses, toEnvironment } from "./apps/built-app.ts"
import { runProgram, startProgram } from "./apps/start-process.ts"
import { writeUploadPage } from "./apps/upload-page.ts"

const folder = fileURLToPath(new URL("apps/next", import.meta.url))
const next = createRequire(import.meta.url).resolve("next/dist/bin/next")
const env = { DIST_FOLDER: `.next/${randomUUID()}`, NEXT_TELEMETRY_DISABLED: "1" }

let built: Promise<unknown> | undefined

/** One application has both routers: it is built once, and started for each. */
const start = async (configuration: AppConfiguration) => {
  await (built ??= runProgram([next, "build"], { cwd: folder, env }))
  return startProgram([next, "start", "-H", "127.0.0.1", "-p", "0"], {
    cwd: folder,
    env: { ...env, ...toEnvironment(configuration) },
  })
}

afterAll(() => rm(`${folder}/${env.DIST_FOLDER}`, { recursive: true, force: true }))

const runs = "`next build`, `next start`"

describeAdapter(
  "Next.js",
  async (configuration) => {
    await writeUploadPage(`${folder}/public/upload.html`, "/nested/api/sluice")
    const { origin, close } = await start(configuration)
    return {
      ...toAddresses(origin),
      runs,
      parsers: [{ name: "proxy.js", url: `${origin}/nested/api/proxied`, callback: "works" }],
      close,
    }
  },
  [
    {
      test: "another method is a 405 problem",
      reason: "Next.js itself answers methods that a route file does not export",
    },
  ],
)

describeAdapter("Next.js (Pages Router)", async (configuration) => {
  await writeUploadPage(`${folder}/public/pages-router/upload.html`, "/nested/api/pages-router/sluice")
  const { origin, close } = await start(configuration)
  const api = `${origin}/nested/api/pages-router`
  return {
    url: `${api}/sluice`,
    probeUrl: `${api}/probe`,
    pageUrl: `${origin}/nested/pages-router/upload.html`,
    runs,
    parsers: [
      { name: "proxy.js", url: `${api}/proxied`, callback: "works" },
      { name: "Next's bodyParser", url: `${api}/parsed`, callback: "hidden" },
    ],
    close,
  }
})
