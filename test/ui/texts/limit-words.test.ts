import { setupServer } from "msw/node"
import { expect, onTestFinished, test, vi } from "vitest"
import { noUsage } from "../../../src/ingest/storage/quota.ts"
import { fileOverOwnerQuota, fileOverQuota, findTooLarge } from "../../../src/ingest/refusals.ts"
import { createUploadMock } from "../../../src/msw.ts"
import { parseProblem } from "../../../src/protocol/errors/parse-problem.ts"
import { createSluice } from "../../../src/server.ts"
import type { Rejected } from "../../../src/server-kit/rejected.ts"
import { toProblemAnswer } from "../../../src/server-kit/problem-answer.ts"
import { de } from "../../../src/texts/de.ts"
import { createUploadController, createUploadSetup, UploadError } from "../../../src/ui.ts"
import { createGrant } from "../../ingest/circle.ts"

const config = { image: { maxFileSize: "8MB" } } as const
const router = { photos: createSluice()(config).onUploadComplete(() => {}) }
const mock = createUploadMock<typeof router>({ routes: { photos: { config } } })

const mega = 1024 * 1024
const grant = createGrant({ name: "big.png", size: 6 * mega })

/** The error that a client makes of an answer of the ingest. */
const toError = (rejected: Rejected) => {
  const { status, body } = toProblemAnswer(rejected)
  return parseProblem(status, body as string, "ingest")
}

/** What a component in German says of an upload that fails like this. */
const sayOf = async (error: UploadError) => {
  const server = setupServer(...mock.handlers)
  server.listen({ onUnhandledFrame: "error" })
  onTestFinished(() => {
    mock.reset()
    server.close()
  })
  mock.fail("photos", error)
  const url = "http://app.test/api/sluice"
  const onUploadError = vi.fn()
  const controller = createUploadController(
    createUploadSetup<typeof router>({ url, retry: { attempts: 1 }, texts: de }),
    {
      endpoint: "photos",
      onUploadError,
    },
  )
  onTestFinished(controller.connect())
  await vi.waitFor(() => expect(controller.getState().isReady).toBe(true))
  await controller.startUpload([new File([new Uint8Array(grant.size)], grant.name, { type: "image/png" })])
  await vi.waitFor(() => expect(onUploadError).toHaveBeenCalled())
  const [item] = controller.getState().files
  return { told: onUploadError.mock.calls[0]![0].detail, words: de.error(item!.error!).replaceAll("\u00A0", " ") }
}

test.each([
  ["its operator's maximum", findTooLarge(grant, mega)!],
  ["all of its owner's quota", fileOverOwnerQuota(grant, noUsage, mega)],
])("a file above %s: the user reads both sizes in their language, the page the ingest's words", async (_, rejected) => {
  expect(await sayOf(toError(rejected))).toEqual({
    told: rejected.detail,
    words: "6 MB ist zu groß, erlaubt sind höchstens 1 MB.",
  })
})

test("the app's quota is not told, nor is an app's own refusal put into other words", async () => {
  const ofApp = fileOverQuota(grant, noUsage, mega)
  expect(ofApp).toMatchObject({ code: "FILE_TOO_LARGE", data: undefined })
  expect((await sayOf(toError(ofApp))).words).toBe(ofApp.detail)
  const message = "Your plan takes 1 MB."
  const own = new UploadError({ code: "FILE_TOO_LARGE", message, data: { maxSize: mega } })
  expect((await sayOf(own)).words).toBe(message)
})
