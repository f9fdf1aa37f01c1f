import { expect, test } from "vitest"
import { UploadError } from "../../src/client.ts"
import {
  createPlural,
  createSizeFormat,
  createUploadTexts,
  english,
  type UploadItem,
  type UploadState,
} from "../../src/ui.ts"
import { parseConfig } from "./parse-config.ts"

const allowed = (config: Parameters<typeof parseConfig>[0]) => english.allowed(parseConfig(config))

test.each<[Parameters<typeof parseConfig>[0], string]>([
  [{ image: { maxFileSize: "4MB" } }, "1 image, 4 MB at most"],
  [{ image: { maxFileSize: "4MB", maxFileCount: 3 } }, "Up to 3 images, 4 MB each at most"],
  [{ image: { maxFileSize: "4MB", maxFileCount: 3, minFileCount: 3 } }, "3 images, 4 MB each at most"],
  [{ video: { maxFileSize: "1GB", maxFileCount: 5, minFileCount: 2 } }, "2 to 5 videos, 1 GB each at most"],
  [
    { image: { maxFileSize: "4MB", maxFileCount: 3 }, pdf: { maxFileSize: "16MB" } },
    "Up to 3 images (4 MB) and 1 PDF (16 MB)",
  ],
  [
    { image: { maxFileSize: "8MB" }, audio: { maxFileSize: "8MB", maxFileCount: 2 }, text: { maxFileSize: "8MB" } },
    "1 image, up to 2 audio files, and 1 text file, 8 MB each at most",
  ],
  [{ blob: { maxFileSize: 1_500_000 } }, "1 file, 1.4 MB at most"],
  [{ "application/zip": { maxFileSize: "8MB" } }, "1 ZIP file, 8 MB at most"],
  [{ "image/svg+xml": { maxFileSize: "64KB", maxFileCount: 2 } }, "Up to 2 SVG files, 64 KB each at most"],
])("%j is described as %s", (config, text) => {
  expect(allowed(config)).toBe(text.replaceAll(/(\d) ([KMG]B)/g, "$1\u00a0$2"))
})

test("sizes are in the units of the configuration, and never 1024 of one", () => {
  const format = createSizeFormat("en")
  expect([0, 1, 1023, 1024, 1_048_575, 1_048_576, 1.5 * 1024 ** 3, 2 ** 50].map((bytes) => format(bytes))).toEqual([
    "0\u00a0B",
    "1\u00a0B",
    "1,023\u00a0B",
    "1\u00a0KB",
    "1\u00a0MB",
    "1\u00a0MB",
    "1.5\u00a0GB",
    "1,024\u00a0TB",
  ])
  expect(createSizeFormat("de")(1536)).toBe("1,5\u00a0KB")
})

test("plural forms are those of the language", () => {
  const polish = createPlural("pl")
  const files = { one: "# plik", few: "# pliki", many: "# plików", other: "# pliku" }
  expect([1, 2, 5, 22, 1.5].map((count) => polish(files, count))).toEqual([
    "1 plik",
    "2 pliki",
    "5 plików",
    "22 pliki",
    "1,5 pliku",
  ])
  expect(createPlural("en")({ one: "# file", other: "# files" }, 0)).toBe("0 files")
})

test("an error is told in the user's words; the app's own words are left as they are", () => {
  const say = (code: ConstructorParameters<typeof UploadError>[0]) => english.error(new UploadError(code))
  expect(say({ code: "NETWORK_ERROR", message: "socket hang up" })).toBe(
    "The connection broke. Check it and try again.",
  )
  expect(say("Only members may upload.")).toBe("Only members may upload.")
})

test("what is read out does not change with every file that is done", () => {
  const item = (status: string) => ({ status, file: new File([], "a") }) as UploadItem
  const announce = (...statuses: Array<string>) =>
    english.announce({ status: "uploading", files: statuses.map(item) } as unknown as UploadState)
  expect(announce("uploading", "queued", "waiting")).toBe("Uploading 3 files")
  expect(announce("done", "uploading", "queued", "aborted")).toBe("Uploading 3 files")
})

test("a text that is replaced is the one that every other text uses", () => {
  const texts = createUploadTexts({ error: () => "Nein.", size: (bytes) => `${bytes} Byte` })
  const failed = {
    status: "failed",
    file: new File(["abc"], "a"),
    error: new UploadError("No."),
  } as unknown as UploadItem
  expect(texts.fileState(failed)).toBe("Nein.")
  expect(texts.fileState({ ...failed, status: "picked" })).toBe("3 Byte")
  expect(texts.announce({ status: "failed", files: [failed] } as unknown as UploadState)).toBe(
    "1 file failed. a: Nein.",
  )
  expect(texts.allowed(parseConfig({ image: { maxFileSize: "1KB" } }))).toBe("1 image, 1024 Byte at most")
  expect(texts.tooLarge(2, 1)).toBe("2 Byte is too large, at most 1 Byte is allowed.")
})
