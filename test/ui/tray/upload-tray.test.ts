// @vitest-environment jsdom
import { expect, onTestFinished, test, vi } from "vitest"
import type { ResumeStore } from "../../../src/client/resume/resume-store.ts"
import { createUploads } from "../../../src/ui/tray/create-uploads.ts"
import { createUploadTray } from "../../../src/ui/tray/upload-tray.ts"

test("a tray that is there before anybody has signed in offers what that user's reload has interrupted", async () => {
  const entry = { id: "1", slug: "photos", name: "a.png", size: 3, lastModified: 7, input: null }
  let user = ""
  const list = vi.fn(async () => (user === "ann" ? [entry] : []))
  const uploads = createUploads({ resumeStore: { list, attachHandle: () => {} } as unknown as ResumeStore })
  const tray = createUploadTray(uploads, {}, "tray")
  const leave = tray.connect()
  onTestFinished(leave)
  await vi.waitFor(() => expect(list).toHaveBeenCalled())
  expect(tray.getState()).toMatchObject({ interrupted: [] })
  user = "ann"
  uploads.reset()
  await vi.waitFor(() => expect(tray.getState()).toMatchObject({ interrupted: [{ id: "1" }] }), { timeout: 10_000 })
})
