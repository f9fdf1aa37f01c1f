import { expect, test } from "vitest"
import { de } from "../../../src/texts/de.ts"
import { chooseFiles } from "../../../src/ui/files/choose-files.ts"
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
