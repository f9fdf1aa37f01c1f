import { randomUUID } from "node:crypto"
import { rm } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import type { APIContext } from "astro"
import { afterAll, beforeAll, describe, expect, expectTypeOf, test } from "vitest"
import { createRouteHandler, createSluice } from "../../adapters/astro.ts"
import { createSluice as createNodeSluice } from "../../adapters/node.ts"
import { describeAdapter } from "../conformance/adapter.ts"
import { toAddresses, toEnvironment } from "./apps/built-app.ts"
import { runProgram, startProgram } from "./apps/start-process.ts"
import { createTestRouter } from "../../src/conformance/adapter/test-router.ts"
import { writeUploadPage } from "./apps/upload-page.ts"

const cwd = fileURLToPath(new URL("apps/astro", import.meta.url))
const astro = fileURLToPath(new URL("../../node_modules/astro/bin/astro.mjs", import.meta.url))
const folder = `.astro/${randomUUID()}`

const build = (env: Readonly<Record<string, string>> = {}) =>
  runProgram([astro, "build"], { cwd, env: { ASTRO_TELEMETRY_DISABLED: "1", DIST_FOLDER: folder, ...env } })

const startApp = (env: Readonly<Record<string, string>> = {}) =>
  startProgram([`${folder}/dist/server/entry.mjs`], { cwd, env: { HOST: "127.0.0.1", PORT: "0", ...env } })

beforeAll(async () => {
  await writeUploadPage(`${cwd}/public/upload.html`, "/nested/api/sluice")
  await build()
}, 180_000)
afterAll(() => rm(`${cwd}/${folder}`, { recursive: true, force: true }))

describeAdapter(
  "Astro",
  async (configuration) => {
    const { origin, close } = await startApp(toEnvironment(configuration))
    return {
      ...toAddresses(origin),
      runs: "`astro build`, @astrojs/node",
      close,
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

describe("Astro's endpoint", () => {
  test("is reached past security.checkOrigin, which is for forms", async () => {
    const { origin, close } = await startApp()
    const post = (type: string) =>
      fetch(`${origin}/nested/api/sluice`, {
        method: "POST",
        headers: { "content-type": type, origin: "https://elsewhere.example" },
        body: "{}",
      })
    expect((await post("application/json")).headers.get("content-type")).toBe("application/problem+json")
    const form = await post("text/plain")
    expect([form.status, await form.text()]).toMatchObject([403, expect.stringMatching(/^Cross-site POST/)])
    await close()
  })

  test("is not built where it would be prerendered, and the fix is named", async () => {
    const building = build({ SOURCE_FOLDER: "prerendered", DIST_FOLDER: `${folder}/prerendered` })
    await expect(building).rejects.toThrow(
      /Add `export const prerender = false` to the file of \/nested\/api\/sluice\./,
    )
  }, 180_000)

  test("has the types of Astro", () => {
    createSluice()({ blob: {} })
      .middleware(({ context }) => {
        expectTypeOf(context).toEqualTypeOf<APIContext>()
        return {}
      })
      .onUploadComplete(() => null)
    const foreign = createTestRouter(createNodeSluice(), ({ req }) => req.url)
    // @ts-expect-error: its user code expects Node's request and response.
    createRouteHandler({ router: foreign })
  })
})
