import { expect, onTestFinished, test, vi } from "vitest"
import type { InterruptedUpload, ResumeStore } from "../../../src/client/resume/resume-store.ts"
import { createLeftUploads } from "../../../src/ui/tray/left-uploads.ts"
import { createUploads } from "../../../src/ui/tray/create-uploads.ts"
import type { Uploads } from "../../../src/ui/tray/uploads.ts"

const onDisk = () => new File(["abc"], "IMG_1.png", { type: "image/png", lastModified: 7 })

/** As much of them as a tray needs. */
const uploadsOver = (resumeStore: object, addFiles?: (...given: Array<any>) => Promise<void>): Uploads<any> =>
  ({
    setup: { options: { resumeStore } },
    isAttended: () => false,
    getState: () => ({ files: [], isUploading: false }),
    subscribe: () => () => {},
    onAttend: () => () => {},
    addFiles,
  }) as unknown as Uploads<any>

/** What a tray offers of one upload whose file was renamed before it was interrupted. */
const start = async (reopen?: () => Promise<File>) => {
  const entry = { id: "1", slug: "photos", name: "beach.png", size: 3, lastModified: 7, loaded: 1, input: { album: 1 } }
  const added: Array<readonly [slug: string, names: Array<string>, options: unknown]> = []
  const resumeStore = {
    list: async () => [{ ...entry, reopen } as unknown as InterruptedUpload],
    attachHandle: () => {},
  }
  const uploads = uploadsOver(resumeStore, async (slug: string, files: ReadonlyArray<File>, options: unknown) => {
    added.push([slug, files.map(({ name }) => name), options])
  })
  const { promise: isFound, resolve } = Promise.withResolvers<void>()
  const left = createLeftUploads(uploads, resolve)
  left.connect()
  await isFound
  return { left, added }
}

test("an upload that was renamed goes on under its name, with the file that the browser has kept", async () => {
  const { left, added } = await start(async () => onDisk())
  expect(await left.continueInterrupted("1")).toBe(true)
  expect(added).toEqual([["photos", ["beach.png"], { input: { album: 1 } }]])
})

test("an upload that was renamed goes on under its name, with the file that is chosen again", async () => {
  const { left, added } = await start()
  left.continueWith("1", [onDisk()])
  expect(left.getState().otherFile).toBeUndefined()
  expect(added).toEqual([["photos", ["beach.png"], { input: { album: 1 } }]])
})

test("another file is asked about", async () => {
  const { left, added } = await start()
  const other = new File(["abcd"], "IMG_2.png")
  left.continueWith("1", [other])
  expect(left.getState().otherFile).toEqual({ id: "1", files: [other] })
  expect(added).toEqual([])
})

test("after `reset` those of the next user are offered, and nobody is asked about another user's file", async () => {
  vi.stubGlobal("document", {}) // a page, not a server
  const entry = (id: string) => ({ id, slug: "photos", name: "a.png", size: 3, lastModified: 7, input: null })
  let user = "ann"
  const resumeStore = { list: async () => [entry(user)], attachHandle: () => {} } as unknown as ResumeStore
  const uploads = createUploads({ resumeStore })
  const left = createLeftUploads(uploads as Uploads<any>, () => {})
  onTestFinished(left.connect())
  onTestFinished(() => void vi.unstubAllGlobals())
  const offered = () => left.getState().interrupted.map(({ id }) => id)
  await expect.poll(offered).toEqual(["ann"])
  left.continueWith("ann", [new File(["abcd"], "other.png")])
  expect(left.getState().otherFile).toBeDefined()
  user = "eve"
  uploads.reset()
  await expect.poll(offered).toEqual(["eve"])
  expect(left.getState().otherFile).toBeUndefined()
})

test("messages that something has changed have it read once more, after the read that runs", async () => {
  const answers: Array<(entries: Array<InterruptedUpload>) => void> = []
  let tell = () => {}
  const resumeStore = {
    list: () => new Promise((resolve) => answers.push(resolve)),
    subscribe: (listener: () => void) => {
      tell = listener
      return () => {}
    },
    attachHandle: () => {},
  }
  const left = createLeftUploads(uploadsOver(resumeStore), () => {})
  onTestFinished(left.connect())
  for (let i = 0; i < 50; i++) tell()
  expect(answers).toHaveLength(1)
  answers[0]!([])
  await vi.waitFor(() => expect(answers).toHaveLength(2))
  answers[1]!([{ id: "1", slug: "photos", name: "a.png", size: 3, lastModified: 7 } as InterruptedUpload])
  await vi.waitFor(() => expect(left.getState().interrupted.map(({ id }) => id)).toEqual(["1"]))
  expect(answers).toHaveLength(2)
})
