import { randomUUID } from "node:crypto"
import { rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, expect, test } from "vitest"
import { describeAdapter } from "../conformance/adapter.ts"
import { toAddresses, toEnvironment } from "./apps/built-app.ts"
import { runProgram, startProgram } from "./apps/start-process.ts"
import { writeUploadPage } from "./apps/upload-page.ts"

const cwd = fileURLToPath(new URL("apps/nuxt", import.meta.url))
const nuxt = fileURLToPath(new URL("../../node_modules/nuxt/bin/nuxt.mjs", import.meta.url))
const folder = `.nuxt/${randomUUID()}`

const startApp = (env: Readonly<Record<string, string>>) =>
  startProgram([`${folder}/output/server/index.mjs`], { cwd, env: { HOST: "127.0.0.1", PORT: "0", ...env } })

beforeAll(async () => {
  await writeUploadPage(`${cwd}/public/upload.html`, "/nested/api/sluice")
  await runProgram([nuxt, "build"], { cwd, env: { DIST_FOLDER: folder, NUXT_TELEMETRY_DISABLED: "1" } })
}, 180_000)
afterAll(() => rm(`${cwd}/${folder}`, { recursive: true, force: true }))

describeAdapter("Nuxt", async (configuration) => {
  const { origin, close } = await startApp(toEnvironment(configuration))
  return {
    ...toAddresses(origin),
    runs: "`nuxt build`, node-server",
    parsers: [
      { name: "readBody", url: `${origin}/nested/api/read-body`, callback: "works" },
      { name: "readRawBody", url: `${origin}/nested/api/read-raw-body`, callback: "works" },
      { name: "localFetch", url: `${origin}/nested/local`, callback: "works" },
    ],
    close,
  }
})

test("a header of a request does not pass for a method of its headers", async () => {
  const { origin, close } = await startApp({})
  const response = await fetch(`${origin}/nested/api/sluice`, { headers: { get: "x" } })
  expect(response.status).toBe(200)
  await close()
})
