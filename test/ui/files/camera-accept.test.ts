import { expect, test } from "vitest"
import { toCameraAccept } from "../../../src/ui/files/camera-accept.ts"
import { parseConfig } from "../parse-config.ts"

test("a camera makes photos where the route takes any, else videos, and nothing else", () => {
  const of = (config: Parameters<typeof parseConfig>[0]) => toCameraAccept(parseConfig(config))
  expect(of({ image: {} })).toEqual({ kind: "photo", accept: "image/*" })
  expect(of({ "image/jpeg": {}, "image/png": {}, "image/svg+xml": {} })).toEqual({
    kind: "photo",
    accept: "image/jpeg,image/png",
  })
  expect(of({ video: {}, image: {} })?.kind).toBe("photo")
  expect(of({ blob: {} })).toEqual({ kind: "photo", accept: "image/*" })
  expect(of({ video: {}, pdf: {} })).toEqual({ kind: "video", accept: "video/*" })
  expect(of({ "video/mp4": {} })).toEqual({ kind: "video", accept: "video/mp4" })
  expect(of({ pdf: {}, "image/svg+xml": {} })).toBeUndefined()
})
