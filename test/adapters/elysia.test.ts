import { createServer } from "node:http"
import { fileURLToPath } from "node:url"
import { type Context, Elysia } from "elysia"
import { describe, expect, expectTypeOf, test } from "vitest"
import { createRouteHandler, createSluice } from "../../adapters/elysia.ts"
import { toNodeListener } from "../../adapters/node.ts"
import { describeAdapter, type RunningApp } from "../conformance/adapter.ts"
import { createApp } from "./apps/elysia/create-app.ts"
import { listen } from "./apps/listen.ts"
import { startProgram } from "./apps/start-process.ts"

const cwd = fileURLToPath(new URL("apps/elysia", import.meta.url))
const bun = fileURLToPath(import.meta.resolve("bun/bin/bun.exe"))

const toRunningApp = (
  { origin, close }: { readonly origin: string; readonly close: () => Promise<void> },
  runs: string,
): RunningApp => ({
  url: `${origin}/nested/api/sluice`,
  probeUrl: `${origin}/probe`,
  pageUrl: `${origin}/upload`,
  runs,
  parsers: [
    { name: "a hook that asks for the body", url: `${origin}/hook/api/sluice`, callback: "works" },
    { name: "a parser of other types", url: `${origin}/parser/api/sluice`, callback: "works" },
    { name: "a parser of a copy", url: `${origin}/clone/api/sluice`, callback: "works" },
    { name: "aot: false", url: `${origin}/uncompiled/api/sluice`, callback: "works" },
  ],
  close,
})

describeAdapter("Elysia", async ({ token, ingestUrl }) => {
  const env = { SLUICE_TOKEN: token, SLUICE_INGEST_URL: ingestUrl }
  return toRunningApp(await startProgram(["serve-bun.ts"], { runtime: bun, cwd, env }), "Bun")
})

describeAdapter("Elysia on Node", async (configuration) => {
  const app = await createApp(configuration)
  return toRunningApp(await listen(createServer(toNodeListener(app.fetch))), "`app.fetch`")
})

describe("Elysia's plugin", () => {
  const router = {
    note: createSluice()({ blob: {} })
      .middleware(({ context }) => {
        expectTypeOf(context).toEqualTypeOf<Context>()
        return {}
      })
      .onUploadComplete(() => null),
  }

  test("is where the client looks for it, or at a path below the prefix", async () => {
    const app = new Elysia({ prefix: "/v1" })
      .use(createRouteHandler({ router }))
      .use(createRouteHandler({ router, path: "/files" }))
    for (const path of ["/v1/api/sluice", "/v1/api/sluice/", "/v1/files"]) {
      const response = await app.handle(new Request(`http://localhost${path}`))
      expect([path, await response.json()]).toMatchObject([path, [{ slug: "note" }]])
    }
  })

  test("leaves the app's types as they are", () => {
    new Elysia()
      .decorate("database", "postgres" as const)
      .use(createRouteHandler({ router }))
      .get("/", ({ database }) => {
        expectTypeOf(database).toEqualTypeOf<"postgres">()
      })
  })

  test("names the fix where a parser has read the body", async () => {
    const app = new Elysia()
      .onParse(({ request }) => request.json())
      .use(createRouteHandler({ router, logLevel: "None" }))
    const response = await app.handle(
      new Request("http://localhost/api/sluice", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: "{}",
      }),
    )
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { code: "INVALID_CONFIG", detail: expect.stringMatching(/Mount Sluice before/) },
    ])
  })
})
