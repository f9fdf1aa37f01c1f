import { AsyncLocalStorage } from "node:async_hooks"
import { expect, test } from "vitest"
import { createSluice } from "../../src/server.ts"
import { handlerOf, png, presigned, uploadRequest } from "./call-app.ts"
import { useMockIngest } from "./mock-ingest.ts"
import { callbackEvent, hookRequest } from "./signed-event.ts"

useMockIngest()

// Whose request it is, as `cookies()`, `headers()` and `auth()` of Next.js, `getRequestEvent()` of SvelteKit and their like know it.
const users = new AsyncLocalStorage<number>()

test("user code runs in the asynchronous context of its own request, however many there are at once", async () => {
  const seen: Array<readonly [string, unknown, number | undefined]> = []
  const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))
  const f = createSluice()
  const router = {
    a: f({ image: {} })
      .middleware(async ({ request }) => {
        const expected = Number(request.headers.get("x-user"))
        seen.push(["middleware", expected, users.getStore()])
        await wait(expected % 3)
        return { expected }
      })
      .file(({ metadata }) => {
        seen.push(["file", metadata.expected, users.getStore()])
        return {}
      })
      .onUploadComplete(({ metadata }) => void seen.push(["complete", metadata.expected, users.getStore()])),
  }
  const handle = handlerOf(router)
  const everybody = Array.from({ length: 40 }, (_, i) => i)
  await Promise.all(
    everybody.map((user) =>
      users.run(user, async () => {
        const headers = { "content-type": "application/json", "x-user": String(user) }
        await presigned(await handle(uploadRequest("a", { files: [png] }, { headers })))
        const event = callbackEvent({ id: `evt_${user}`, metadata: { expected: user } })
        expect((await handle(hookRequest(event))).status).toBe(200)
      }),
    ),
  )
  expect(seen).toHaveLength(120)
  expect(seen.filter(([, expected, found]) => found !== expected)).toEqual([])
})
