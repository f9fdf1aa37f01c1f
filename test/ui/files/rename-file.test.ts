import { expect, test } from "vitest"
import { keepPath } from "../../../src/ui/files/file-paths.ts"
import { findMistake, nameFile } from "../../../src/ui/files/rename-file.ts"

test("a name is what every system and the protocol can keep", () => {
  for (const name of ["a.png", ".env", "ä ö.jpg", "a..b", "写真.heic"]) expect(findMistake(name)).toBeUndefined()
  for (const name of ["", "  ", ".", "..", "..."]) expect(findMistake(name)).toBe("empty")
  for (const name of ["a/b", "a\\b", "a\nb", "a\0b", "\uD800.png"]) expect(findMistake(name)).toBe("character")
  expect(findMistake("ä".repeat(512))).toBeUndefined()
  expect(findMistake("ä".repeat(513))).toBe("length")
})

test("a file under another name is the same: type, time, folder, bytes", async () => {
  const file = keepPath(new File(["abc"], "a.txt", { type: "text/plain", lastModified: 5 }), "holiday/2024/a.txt")
  const named = nameFile(file, "b.txt")
  expect([named.name, named.type, named.lastModified, named.webkitRelativePath]).toEqual([
    "b.txt",
    "text/plain",
    5,
    "holiday/2024/b.txt",
  ])
  expect(await named.text()).toBe("abc")
})
