import { afterEach, expect, test, vi } from "vitest"
import { isLongList, isNearRow } from "../../../src/ui/rows/long-list.ts"
import type { UploadItem } from "../../../src/ui/controller/upload-state.ts"

const item = (patch: Partial<UploadItem> = {}): UploadItem => ({
  id: "a",
  name: "a.pdf",
  size: 1,
  type: "application/pdf",
  file: new File(["x"], "a.pdf"),
  status: "picked",
  progress: 0,
  loaded: 0,
  previewUrl: undefined,
  ...patch,
})

afterEach(() => vi.unstubAllGlobals())

test("a list is long from 41 files on", () => {
  expect(isLongList(Array.from({ length: 40 }, () => item()))).toBe(false)
  expect(isLongList(Array.from({ length: 41 }, () => item()))).toBe(true)
})

test("what is near is whole", () => {
  expect(isNearRow(item(), 0, new Set(["a"]))).toBe(true)
  expect(isNearRow(item(), 0, new Set(["b"]))).toBe(false)
})

test("before anybody has looked the first twenty chosen files are whole, and all that were stored before", () => {
  vi.stubGlobal("IntersectionObserver", vi.fn())
  expect(isNearRow(item(), 19, undefined)).toBe(true)
  expect(isNearRow(item(), 20, undefined)).toBe(false)
  expect(isNearRow(item({ file: undefined, status: "done" }), 99, undefined)).toBe(true)
})

test("where nothing can tell what is near, as on a server and in jsdom, all rows are whole", () => {
  expect(isNearRow(item(), 99, undefined)).toBe(true)
})
