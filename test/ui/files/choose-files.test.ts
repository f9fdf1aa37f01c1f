import { expect, test } from "vitest"
import { de } from "../../../src/texts/de.ts"
import { chooseFiles } from "../../../src/ui/files/choose-files.ts"
import { keepPath } from "../../../src/ui/files/file-paths.ts"
import { createUploadTexts } from "../../../src/ui/texts/english-texts.ts"
import type { UploadTexts } from "../../../src/ui/texts/upload-texts.ts"

const refuse = (name: string, texts: UploadTexts) => {
  const { fresh } = chooseFiles([], [new File(["x"], name)], undefined, texts, false)
  return fresh.map(({ status, error }) => [status, error?.code, error?.detail])
}

test("a file without a name is refused in words of its own, not in those of renaming", () => {
  const words = "The file has no name. Give it one and choose it again."
  expect(refuse("", createUploadTexts())).toEqual([["failed", "BAD_REQUEST", words]])
  expect(refuse("", createUploadTexts({ unnamed: () => "Nameless" }))).toEqual([["failed", "BAD_REQUEST", "Nameless"]])
  expect(refuse("", de)).toEqual([["failed", "BAD_REQUEST", de.unnamed()]])
})

test("a name that no server takes is refused with what is wrong with it", () => {
  const texts = createUploadTexts()
  expect(refuse("a\0b", texts)).toEqual([["failed", "BAD_REQUEST", texts.nameMistake("character")]])
  expect(refuse("a".repeat(1025), texts)).toEqual([["failed", "BAD_REQUEST", texts.nameMistake("length")]])
  expect(refuse("a.png", texts)).toEqual([["picked", undefined, undefined]])
})

test("of a chosen folder nothing is listed that the system left there; a file of that name that was chosen itself is", () => {
  const inFolder = ["notes.txt", ".DS_Store", "Thumbs.db"].map((name) =>
    keepPath(new File(["x"], name), `holiday/${name}`),
  )
  const { fresh } = chooseFiles([], [...inFolder, new File(["x"], ".DS_Store")], undefined, createUploadTexts(), false)
  expect(fresh.map(({ name, path }) => [name, path])).toEqual([
    ["notes.txt", "holiday/notes.txt"],
    [".DS_Store", undefined],
  ])
})
