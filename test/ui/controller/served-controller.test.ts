import { afterEach, expect, test, vi } from "vitest"
import { createUploadController } from "../../../src/ui/controller/create-upload-controller.ts"
import { createUploadSetup } from "../../../src/ui/controller/upload-setup.ts"
import { parseConfig } from "../parse-config.ts"

afterEach(() => vi.restoreAllMocks())

test("what a server has rendered knows its route when it is shown again, though it was hidden while it asked", async () => {
  const error = vi.spyOn(console, "error").mockImplementation(() => {})
  const config = parseConfig(["image"])
  const { promise: isAsked, resolve: asked } = Promise.withResolvers<void>()
  const { promise: body, resolve: answer } = Promise.withResolvers<unknown>()
  const fetch = async () => {
    asked()
    return Response.json(await body)
  }
  const setup = createUploadSetup({ url: "http://served.test/api", fetch })
  const controller = createUploadController({ ...setup, isServed: true }, { endpoint: "photos" as never })
  expect(controller.getState().isReady).toBe(false)
  const hide = controller.connect()
  await isAsked
  hide()
  answer([{ slug: "photos", config }])
  await expect.poll(() => controller.getState().isReady).toBe(true)
  const stop = controller.connect()
  expect(controller.getState().routeConfig).toEqual(config)
  expect(error).not.toHaveBeenCalled()
  stop()
})
