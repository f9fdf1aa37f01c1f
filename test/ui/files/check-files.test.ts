import { expect, test } from "vitest"
import { maxFiles, toAccept } from "../../../src/ui/files/accepted-files.ts"
import { checkFiles } from "../../../src/ui/files/check-files.ts"
import { english } from "../../../src/ui/texts/english-texts.ts"
import { parseConfig } from "../parse-config.ts"

const file = (name: string, type: string, size = 10) => new File([new Uint8Array(size)], name, { type })
const codes = (
  files: ReadonlyArray<File>,
  config: Parameters<typeof parseConfig>[0],
  others: ReadonlyArray<File> = [],
) => checkFiles(files, others, parseConfig(config), english).map((error) => error?.code)

test("the accept attribute names categories and types, and nothing where all is taken", () => {
  expect(toAccept(parseConfig(["image", "pdf", "application/zip", "text"]))).toBe(
    "image/*,application/pdf,application/zip,text/*",
  )
  expect(toAccept(parseConfig(["image", "blob"]))).toBe("")
})

test("the number of files is that of all kinds together", () => {
  expect(maxFiles(parseConfig({ image: { maxFileCount: 3 }, pdf: {} }))).toBe(4)
})

test("files are held against the most exact kind that fits them", () => {
  const config = {
    image: { maxFileSize: "1KB" },
    "image/png": { maxFileSize: "2KB" },
    blob: { maxFileSize: 50 },
  } as const
  expect(
    codes(
      [file("a.png", "image/png", 1500), file("b.gif", "image/gif", 1500), file("c.zip", "application/zip", 51)],
      config,
    ),
  ).toEqual([undefined, "FILE_TOO_LARGE", "FILE_TOO_LARGE"])
})

test("what is too many is the last ones, with those chosen before", () => {
  const images = [1, 2, 3].map((number) => file(`${number}.png`, "image/png"))
  expect(codes(images, { image: { maxFileCount: 3 } }, [file("0.png", "image/png")])).toEqual([
    undefined,
    undefined,
    "TOO_MANY_FILES",
  ])
})

test("a file too large does not count", () => {
  expect(codes([file("a.png", "image/png", 99), file("b.png", "image/png")], { image: { maxFileSize: 50 } })).toEqual([
    "FILE_TOO_LARGE",
    undefined,
  ])
})

test("a type the browser does not know is left to the server", () => {
  expect(codes([file("a.heic", ""), file("b.txt", "Text/Plain; charset=utf-8")], ["image"])).toEqual([
    undefined,
    "FILE_TYPE_NOT_ALLOWED",
  ])
})
