import { expect, test } from "vitest"
import { toExtension, toFamily } from "../../../src/ui/files/file-family.ts"

test.each([
  ["photo.JPG", "", "jpg", "image"],
  ["IMG_1.HEIC", "image/heic", "heic", "image"],
  ["archive.tar.gz", "application/gzip", "gz", "archive"],
  ["main.ts", "video/mp2t", "ts", "code"],
  ["page.html", "text/html", "html", "code"],
  ["notes.txt", "text/plain", "txt", "document"],
  ["report", "application/pdf", "", "document"],
  ["clip", "video/webm", "", "video"],
  ["song.mp3", "audio/mpeg", "mp3", "audio"],
  ["Makefile", "", "", "other"],
  [".env", "", "", "other"],
  ["Minutes of 3.2.2024", "", "", "other"],
  ["songs.7z", "", "7z", "archive"],
])("%s of type %j has the extension %j and is of the family %s", (name, type, extension, family) => {
  expect([toExtension(name), toFamily(name, type)]).toEqual([extension, family])
})
