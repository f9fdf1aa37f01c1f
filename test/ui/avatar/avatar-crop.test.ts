import { describe, expect, it } from "vitest"
import { listCropTypes } from "../../../src/ui/avatar/encode-crop.ts"
import { moveCrop, startCrop, toMaxZoom, toPosition, toZoom, zoomCrop } from "../../../src/ui/avatar/crop-view.ts"

const landscape = { width: 1200, height: 800 }

describe("the square of a picture", () => {
  it("is the largest in the middle at first", () => {
    expect(startCrop(landscape)).toEqual({ x: 200, y: 0, side: 800 })
    expect(startCrop({ width: 3, height: 9 })).toEqual({ x: 0, y: 3, side: 3 })
    expect(toPosition(landscape, startCrop(landscape))).toEqual({ across: 50, down: 50 })
  })

  it("shows the picture where it was moved to, and never what is beside it", () => {
    expect(moveCrop(landscape, startCrop(landscape), { x: 0.125, y: 1 })).toEqual({ x: 100, y: 0, side: 800 })
    expect(moveCrop(landscape, startCrop(landscape), { x: -9, y: 0 })).toEqual({ x: 400, y: 0, side: 800 })
    for (const at of [
      { x: 0, y: 0 },
      { x: 1, y: 1 },
      { x: 0.3, y: 0.9 },
    ]) {
      for (const zoom of [0, 1, 1.7, 3, 99]) {
        const { x, y, side } = zoomCrop(landscape, { x: 0, y: 300, side: 500 }, zoom, 4, at)
        expect(side).toBeGreaterThanOrEqual(200)
        expect(Math.min(x, y, 1200 - x - side, 800 - y - side)).toBeGreaterThanOrEqual(0)
      }
    }
  })

  it("keeps what is under the pointer where it is while it is enlarged", () => {
    const at = { x: 0.25, y: 0.75 }
    const [before, after] = [startCrop(landscape), zoomCrop(landscape, startCrop(landscape), 2, 4, at)]
    expect(toZoom(landscape, after)).toBe(2)
    expect(after.x + at.x * after.side).toBe(before.x + at.x * before.side)
    expect(after.y + at.y * after.side).toBe(before.y + at.y * before.side)
  })

  it("can be a face in a group of a large picture, and is no blot of a small one", () => {
    expect(toMaxZoom({ width: 8000, height: 6000 }, 512)).toBe(10)
    expect(toMaxZoom({ width: 1024, height: 2048 }, 512)).toBe(4)
    expect(toMaxZoom({ width: 16, height: 16 }, 512)).toBe(2)
  })
})

describe("the type of a crop", () => {
  const limits = { maxFileSize: "4MB", maxFileCount: 1, minFileCount: 1, contentDisposition: "inline" } as const

  it("is what is wanted, then what is small or keeps transparent parts", () => {
    expect(listCropTypes(undefined, false, undefined)).toEqual(["image/webp", "image/jpeg", "image/png"])
    expect(listCropTypes(undefined, true, { image: limits })).toEqual(["image/webp", "image/png", "image/jpeg"])
    expect(listCropTypes("image/jpeg", true, { blob: limits })).toEqual(["image/jpeg", "image/webp", "image/png"])
  })

  it("is one that the route takes", () => {
    expect(listCropTypes("image/webp", false, { "image/png": limits })).toEqual(["image/png"])
    expect(listCropTypes(undefined, false, { "image/png": limits, "image/jpeg": limits })).toEqual([
      "image/jpeg",
      "image/png",
    ])
    expect(listCropTypes("image/png", false, { "image/gif": limits })).toEqual([])
  })
})
