import { posix, win32 } from "node:path"
import fc from "fast-check"
import { expect, test } from "vitest"
import { createSluice } from "../../src/server.ts"
import { handlerOf, png, presigned, refused, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"

const ingest = useMockIngest()
useConsoleLines()

const f = createSluice()
const seen: Array<string | undefined> = []
const router = {
  photos: f({ image: { maxFileCount: 3 } })
    .middleware(({ files }) => {
      seen.push(...files.map(({ path }) => path))
      return {}
    })
    .file(({ file }) => ({ name: file.path ?? file.name }))
    .onUploadComplete(() => 1),
}
const handle = handlerOf(router)
const ask = (path: unknown) => handle(uploadRequest("photos", { files: [{ ...png, path }] }))

test("the path of a file reaches the middleware and what decides its name, and goes no further by itself", async () => {
  seen.length = 0
  const files = [{ ...png, path: "holiday/2024/cat.png" }, { ...png, path: "Übung 1/👩‍👧.png" }, png]
  const uploads = await presigned(await handle(uploadRequest("photos", { files })))
  expect(seen).toEqual(["holiday/2024/cat.png", "Übung 1/👩‍👧.png", undefined])
  expect(uploads.map(({ name }) => name)).toEqual(["holiday/2024/cat.png", "Übung 1/👩‍👧.png", "cat.png"])
  const { avatar } = { avatar: f({ image: {} }).onUploadComplete(() => 1) }
  const text = await (
    await handlerOf({ avatar })(uploadRequest("avatar", { files: [{ ...png, path: "secret-folder/cat.png" }] }))
  ).text()
  expect(text).not.toContain("secret-folder")
  expect(ingest.registrations.at(-1)!.text).not.toContain("secret-folder")
})

test.each([
  ["nothing", ""],
  ["another folder", "../cat.png"],
  ["another folder, in between", "holiday/../../cat.png"],
  ["the folder itself", "holiday/./cat.png"],
  ["an absolute path", "/etc/passwd"],
  ["a share", "//server/share/cat.png"],
  ["a folder", "holiday/"],
  ["an empty segment", "holiday//cat.png"],
  ["a drive", "C:/cat.png"],
  ["a drive's own folder", "c:cat.png"],
  ["backslashes", "..\\..\\cat.png"],
  ["one backslash", "holiday\\cat.png"],
  ["NUL", "holiday/cat.png\0.exe"],
  ["a line break", "holiday/\ncat.png"],
  ["a C1 control character", "holiday/\u009bcat.png"],
  ["a lone surrogate", "holiday/\ud800.png"],
  ["too many segments", `${"a/".repeat(64)}cat.png`],
  ["too many bytes", `${"ä".repeat(2100)}/cat.png`],
  ["a number", 7],
  ["null", null],
  ["a list", ["holiday", "cat.png"]],
])("a path that is %s is refused before the middleware runs", async (_, path) => {
  seen.length = 0
  const { detail } = await refused(await ask(path), "BAD_REQUEST", 400)
  expect(detail).toContain("path")
  expect(seen).toEqual([])
  expect(ingest.registrations).toEqual([])
})

test("what is taken stays below the folder it is put in, on every system", async () => {
  const piece = fc.constantFrom("..", ".", "", "a", "C:", "c:x", "\\", "/", "\0", "~", "%2e%2e", "..\\..", "a b", "é")
  const path = fc.array(piece, { maxLength: 6 }).chain((pieces) => fc.constantFrom(pieces.join("/"), pieces.join("")))
  let taken = 0
  await fc.assert(
    fc.asyncProperty(path, async (path) => {
      const response = await ask(path)
      if (response.status !== 200) return void (await refused(response, "BAD_REQUEST", 400))
      taken++
      expect(posix.resolve("/data/files", path).startsWith("/data/files/")).toBe(true)
      expect(win32.resolve("D:\\data\\files", path).startsWith("D:\\data\\files\\")).toBe(true)
    }),
  )
  expect(taken).toBeGreaterThan(0)
})
