import { expect, onTestFinished, test, vi } from "vitest"
import { showTitleProgress } from "../../../src/ui/tray/title-progress.ts"
import type { UploadsSource } from "../../../src/ui/tray/uploads.ts"

/** A document that reads its title as browsers do: without white space around it. */
const stubTitle = (title: string) => {
  const page = {
    get title() {
      return title.trim()
    },
    set title(next) {
      title = next
    },
  }
  vi.stubGlobal("document", page)
  onTestFinished(() => void vi.unstubAllGlobals())
  return page
}

test.each(["Photos", ""])("progress stands before the title %j once, and goes with the upload", (title) => {
  const page = stubTitle(title)
  let state = { isUploading: false, progress: 0 }
  let look = () => {}
  const source = {
    getState: () => state,
    subscribe: (listener: () => void) => {
      look = listener
      return () => {}
    },
  } as unknown as UploadsSource
  const set = (isUploading: boolean, progress: number) => {
    state = { isUploading, progress }
    look()
  }
  showTitleProgress(source, () => true)
  for (const progress of [0, 4, 60]) {
    set(true, progress)
    expect(page.title).toBe(`(${progress} %) ${title}`.trim())
  }
  set(false, 100)
  expect(page.title).toBe(title)
})
