import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { createSluice, extractRouteConfig } from "../../src/server.ts"
import { createUploadController, createUploadSetup, type UploadSetupOptions } from "../../src/ui.ts"

const f = createSluice()
const router = { photos: f({ image: { maxFileSize: "1MB" } }).onUploadComplete(() => null) }

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const minute = 60_000
let addresses = 0

/** A controller whose server is down: it has one file, which is on its way. */
const begin = async (setup: UploadSetupOptions = {}) => {
  const url = `http://app.test/api/sluice?patience${addresses++}`
  let requests = 0
  const fetch = async () => {
    requests++
    throw new TypeError("fetch failed")
  }
  const controller = createUploadController(
    createUploadSetup<typeof router>({ url, fetch, routes: extractRouteConfig(router), ...setup }),
    { endpoint: "photos", config: { mode: "auto" } },
  )
  await controller.preload()
  controller.addFiles([new File(["x"], "a.png", { type: "image/png" })])
  await vi.advanceTimersByTimeAsync(0)
  return { controller, requests: () => requests, item: () => controller.getState().files[0]! }
}

test("a server that is down for minutes is waited for, with a next try that is seen to come, then the file has failed", async () => {
  const { item, controller } = await begin()
  const waits = new Set<number>()
  const look = () => {
    const { retryAt } = item()
    if (retryAt !== undefined) waits.add(retryAt - Date.now())
  }
  controller.subscribe(look)
  await vi.advanceTimersByTimeAsync(2 * minute)
  expect(item()).toMatchObject({ status: "waiting", waitingFor: "retry", error: { code: "NETWORK_ERROR" } })
  expect(item().retryAt).toBeGreaterThan(Date.now())
  expect(Math.max(...waits)).toBeLessThanOrEqual(30_000)
  await vi.advanceTimersByTimeAsync(4 * minute)
  expect(item()).toMatchObject({ status: "failed", canRetry: true, error: { code: "NETWORK_ERROR" } })
})

test("whoever says how to retry is kept to", async () => {
  const { item, requests } = await begin({ retry: { attempts: 2 } })
  await vi.advanceTimersByTimeAsync(minute)
  expect(item().status).toBe("failed")
  expect(requests()).toBe(2)
})

test("what was tried too often is tried as patiently again", async () => {
  const { item, controller } = await begin()
  await vi.advanceTimersByTimeAsync(6 * minute)
  expect(item().status).toBe("failed")
  controller.resumeUpload()
  await vi.advanceTimersByTimeAsync(2 * minute)
  expect(item().status).toBe("waiting")
})
