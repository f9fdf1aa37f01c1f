import { expect, test } from "vitest"
import { UploadError } from "../../../src/client.ts"
import { createPlural, createSizeFormat, type UploadItem, type UploadState } from "../../../src/ui.ts"
import { createUploadTexts, english } from "../../../src/ui/texts/english-texts.ts"
import { parseConfig } from "../parse-config.ts"

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
  [{ "application/zip": { maxFileSize: "8MB" } }, "1 ZIP archive, 8 MB at most"],
  [{ "image/svg+xml": { maxFileSize: "64KB", maxFileCount: 2 } }, "Up to 2 SVG images, 64 KB each at most"],
  [
    { "application/vnd.openxmlformats-officedocument.wordprocessingml.document": { maxFileSize: "8MB" } },
    "1 Word document, 8 MB at most",
  ],
  [{ "application/vnd.ms-excel": { maxFileSize: "8MB", maxFileCount: 2 } }, "Up to 2 Excel sheets, 8 MB each at most"],
  [{ "text/csv": { maxFileSize: "8MB" } }, "1 CSV file, 8 MB at most"],
  [{ "image/heic": { maxFileSize: "8MB" } }, "1 HEIC image, 8 MB at most"],
  [{ "video/mp4": { maxFileSize: "8MB" } }, "1 MP4 video, 8 MB at most"],
  [{ "audio/mpeg": { maxFileSize: "8MB" } }, "1 MP3 file, 8 MB at most"],
  [{ "application/json": { maxFileSize: "8MB" } }, "1 JSON file, 8 MB at most"],
  [{ "application/vnd.acme.very-special.format+xml": { maxFileSize: "8MB" } }, "1 special file, 8 MB at most"],
  [
    { "application/vnd.acme.drawing": { maxFileSize: "8MB", maxFileCount: 2, noun: "CAD drawing" } },
    "Up to 2 CAD drawings, 8 MB each at most",
  ],
  [{ image: { maxFileSize: "8MB", noun: "photo" } }, "1 photo, 8 MB at most"],
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

test("all files together are one line: how far, what keeps them, what became of them", () => {
  const none = {
    total: 0,
    done: 0,
    failed: 0,
    canRetry: 0,
    active: 0,
    processing: 0,
    checking: 0,
    offline: 0,
    picked: 0,
    paused: 0,
  }
  const say = (summary: object) =>
    english.summary({ summary: { ...none, bytes: 188_743_680, loaded: 42_991_616, ...summary } } as UploadState)
  expect(say({ total: 12, done: 3, active: 9 })).toBe("3 of 12 · 41 of 180\u00a0MB")
  expect(say({ total: 1, active: 1, loaded: 1024 })).toBe("0 of 180\u00a0MB")
  expect(say({ total: 12, done: 3, active: 9, offline: 3 })).toBe("Offline, continues when you are back")
  expect(say({ total: 2, done: 1, active: 1, processing: 1 })).toBe("Sent, waiting for the app…")
  expect(say({ total: 2, done: 1, active: 1, processing: 1, checking: 1 })).toBe("Being checked…")
  expect(say({ total: 2, active: 2, processing: 2, checking: 1 })).toBe("Sent, waiting for the app…")
  expect(say({ total: 2, done: 1, paused: 1 })).toBe("Paused · 1 of 2 · 41 of 180\u00a0MB")
  expect(say({ total: 12, done: 12 })).toBe("12 uploaded")
  expect(say({ total: 12, done: 9, failed: 3 })).toBe("9 uploaded, 3 failed")
  expect(say({ failed: 2 })).toBe("2 failed")
})

test.each([
  [3, "a few seconds left"],
  [41, "50\u00a0s left"],
  [60, "1\u00a0min left"],
  [61, "2\u00a0min left"],
  [2 * 3600, "2\u00a0h left"],
])("%i s: %s", (seconds, says) => {
  expect(english.timeLeft(seconds)).toBe(says)
})

test("a stored file says so in words", () => {
  const done = { status: "done", name: "a.pdf", size: 900_000 } as UploadItem
  expect(english.fileState(done)).toBe("Uploaded, 878.9\u00a0KB")
  expect(english.fileState({ ...done, size: undefined })).toBe("Uploaded")
})

test("a text that is replaced is the one that every other text uses", () => {
  const texts = createUploadTexts({ error: () => "Nein.", size: (bytes) => `${bytes} Byte` })
  const failed = {
    status: "failed",
    name: "a",
    size: 3,
    error: new UploadError("No."),
  } as unknown as UploadItem
  expect(texts.fileState(failed)).toBe("Nein.")
  expect(texts.fileState({ ...failed, status: "picked" })).toBe("3 Byte")
  expect(texts.speed(7)).toBe("7 Byte/s")
  expect(texts.allowed(parseConfig({ image: { maxFileSize: "1KB" } }))).toBe("1 image, 1024 Byte at most")
  expect(texts.tooLarge(2, 1)).toBe("2 Byte is too large, at most 1 Byte is allowed.")
})

test.each([
  ["NETWORK_ERROR", "The server cannot be reached, trying again"],
  ["INTERNAL_ERROR", "The server answered with an error, trying again"],
  ["INGEST_UNAVAILABLE", "The storage cannot take it now, trying again"],
  ["RATE_LIMITED", "Too many uploads at once, trying again"],
  ["LOCKED", "Being uploaded from elsewhere, trying again"],
] as const)("a file that waits after %s says why: %s", (code, text) => {
  const item = { status: "waiting", waitingFor: "retry", error: new UploadError({ code, message: "" }) } as UploadItem
  expect(english.fileState(item)).toBe(text)
  expect(english.fileState({ ...item, waitingFor: "offline" })).toBe("Offline, continues when you are back")
})
