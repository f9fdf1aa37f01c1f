import { join } from "node:path"
import { expect, onTestFinished, test } from "vitest"
import { createGrant, putRaw, register, sign, startApp, token } from "../ingest/circle.ts"
import { bundleProgram } from "./bundle-program.ts"
import { createFolder, startWorker } from "./runtimes.ts"

test("an ingest that a worker makes for each request calls back after its answer, and again by a tick", async () => {
  const { folder, remove } = await createFolder()
  onTestFinished(remove)
  await bundleProgram("test/runtimes/programs/embedded/worker.ts", join(folder, "worker.mjs"))
  const worker = await startWorker(folder, { compatibilityDate: "2026-10-01", env: { TOKEN: token } })
  onTestFinished(worker.close)
  const app = await startApp((_, count) => new Response(null, { status: count === 2 ? 500 : 200 }))
  const upload = async () => {
    const grant = createGrant({ slug: "avatar" })
    const registered = { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: false }
    expect((await register(worker.origin, registered)).status).toBe(200)
    const answer = await putRaw(await sign(worker.origin, grant), "hello")
    expect([answer.status, await answer.json()]).toMatchObject([200, { key: grant.key }])
    return grant.key
  }
  const key = await upload()
  await app.until(1)
  expect(app.received[0]!.event).toMatchObject({ status: "uploaded", file: { key } })
  expect(await (await fetch(`${worker.origin}/f/${key}`)).text()).toBe("hello")
  await upload()
  await app.until(2)
  const tick = async () => (await (await fetch(`${worker.origin}/cron`)).json()) as { isDone: boolean; nextAt: null }
  await expect.poll(tick, { interval: 50 }).toEqual({ isDone: true, underWay: 0, nextAt: null })
  expect(app.received).toHaveLength(3)
  expect(worker.output()).not.toMatch(/error|hang/i)
})
