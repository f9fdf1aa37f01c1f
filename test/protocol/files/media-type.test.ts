import fc from "fast-check"
import { describe, expect, it } from "vitest"
import {
  fileCategories,
  isBrokenMediaType,
  isOfMediaType,
  lookupMediaType,
  normalizeMediaType,
  parseMediaType,
} from "../../../src/protocol/files/media-type.ts"

describe("lookupMediaType", () => {
  it.each([
    ["photo.png", "image/png"],
    ["PHOTO.JPG", "image/jpeg"],
    ["IMG_0042.HEIC", "image/heic"],
    ["live.heif", "image/heif"],
    ["a.webp", "image/webp"],
    ["a.avif", "image/avif"],
    ["clip.mov", "video/quicktime"],
    ["clip.mp4", "video/mp4"],
    ["song.mp3", "audio/mpeg"],
    ["a.pdf", "application/pdf"],
    ["letter.docx", "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
    ["table.xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"],
    ["a.csv", "text/csv"],
    ["archive.tar.gz", "application/gzip"],
    ["C:\\Users\\x\\a.pdf", "application/pdf"],
    ["dir.d/a.png", "image/png"],
    ["ünï cödé (1) & #?+%.pdf", "application/pdf"],
    ["👩‍👩‍👧.png", "image/png"],
  ])("%j is %s", async (name, type) => {
    expect(await lookupMediaType(name)).toBe(type)
  })

  it.each([
    "",
    ".",
    "..",
    "...",
    "README",
    "png",
    "html",
    "a.",
    "a.png.",
    "a.png ",
    "a.unknown-extension",
    "a.b/c",
    "dir.png/file",
    ".png",
    ".htaccess",
    "a.constructor",
    "a.__proto__",
    "a.toString",
    "a.hasOwnProperty",
    "constructor",
    "__proto__",
    "a.png\0",
  ])("%j is of no known type", async (name) => {
    expect(await lookupMediaType(name)).toBe("application/octet-stream")
  })

  it("gives a media type for any name, never a category", async () => {
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: "binary" }), fc.string({ maxLength: 4 }), async (name, extension) => {
        const type = await lookupMediaType(`${name}.${extension}`)
        expect(parseMediaType(type)).toBe(type)
      }),
    )
  })
})

describe("parseMediaType", () => {
  it.each([
    ["image/png", "image/png"],
    ["IMAGE/PNG", "image/png"],
    [" image/png ", "image/png"],
    ["text/plain;charset=utf-8", "text/plain"],
    ["text/plain ; charset=utf-8", "text/plain"],
    ['text/html; x="a/b"', "text/html"],
    ["application/vnd.api+json", "application/vnd.api+json"],
    ["model/x3d-vrml", "model/x3d-vrml"],
    ["text/plain;", "text/plain"],
    ["text/plain; ;a=b;;", "text/plain"],
    ["video/webm;codecs=vp8,opus", "video/webm"],
    ['video/mp4; Codecs="avc1.42E01E, mp4a.40.2"; a=b', "video/mp4"],
  ])("%j is %s", (text, type) => {
    expect(parseMediaType(text)).toBe(type)
  })

  it.each([
    "",
    "image",
    "image/",
    "/png",
    "image/png/x",
    "image/*",
    "*/*",
    "image png",
    "image/p ng",
    ";image/png",
    "a/b,c/d",
    "image/png\r\nx: y",
    "ímage/png",
    `a/${"b".repeat(128)}`,
    "text/plain;,text/html",
    "text/plain;a=b,text/html",
    "text/plain;a=b, text/html",
    'text/plain;a=", text/html"',
    "text/plain;codecs=a, text/html",
    "text/plain;codecs=a,text/html",
    "text/plain;codecs=",
    "text/plain;charset",
    "text/plain;=utf-8",
    "text/plain;a =b",
    'text/plain;a="b',
    'text/plain;a="\r\n"',
    'text/plain;a="é"',
    "text/plain a=b",
  ])("%j is none", (text) => {
    expect(parseMediaType(text)).toBeUndefined()
  })
})

describe("normalizeMediaType", () => {
  it.each([
    ["text/plain", "text/plain"],
    ["Text/Plain; Charset=UTF-8; a=b", "text/plain;charset=utf-8"],
    ['text/csv;header=present;charset="Windows-1252"', "text/csv;charset=windows-1252"],
    ["text/plain;charset=iso-8859-15", "text/plain;charset=iso-8859-15"],
    ["text/plain;charset=utf-7", "text/plain"],
    ["text/plain;charset=utf-16", "text/plain"],
    ["text/plain;charset=iso-2022-jp", "text/plain"],
    ["text/plain;x-charset=utf-8", "text/plain"],
  ])("%j becomes %s", (text, type) => {
    expect(normalizeMediaType(text)).toBe(type)
    expect(normalizeMediaType(type)).toBe(type)
  })

  it("gives one type and at most a charset, whatever it is made of", () => {
    const piece = fc.constantFrom(
      "text/html",
      "text/plain",
      ";",
      ",",
      " ",
      '"',
      "\\",
      "charset=",
      "codecs=",
      "utf-8",
      "utf-7",
      "a",
    )
    const texts = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(piece).map((pieces) => pieces.join("")),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const type = normalizeMediaType(text)
        expect(type === undefined).toBe(parseMediaType(text) === undefined)
        if (type !== undefined) expect(type).toMatch(/^[^\s;,"/]+\/[^\s;,"/]+(;charset=utf-8)?$/)
      }),
      { numRuns: 5000 },
    )
  })

  it("takes time that grows with the text only", () => {
    for (const piece of [";", "; ", ";a=b", ";codecs=a", ';a="', ";codecs=a,", " ", ";\t \t"]) {
      expect(parseMediaType(`text/plain${piece.repeat(50_000)}\0`)).toBeUndefined()
    }
  })
})

describe("isBrokenMediaType", () => {
  it.each(["text/plain", "", "image", "x-pdf", "text/plain;charset=utf-8"])("%j is not", (text) => {
    expect(isBrokenMediaType(text)).toBe(false)
  })
  it.each(["text/plain;,text/html", "*/*", "text/", ",", "a b", "image/png;x", "é"])("%j is", (text) => {
    expect(isBrokenMediaType(text)).toBe(true)
  })
})

describe("isOfMediaType", () => {
  it.each([
    ["image/png", "image", true],
    ["image/png", "image/png", true],
    ["image/svg+xml", "image", true],
    ["image/png", "image/jpeg", false],
    ["application/pdf", "pdf", true],
    ["pdf/x", "pdf", false],
    ["text/plain", "text", true],
    ["textual/plain", "text", false],
    ["imagery/png", "image", false],
    ["image/pngx", "image/png", false],
    ["video/mp4", "image", false],
    ["application/octet-stream", "blob", true],
    ["anything/else", "blob", true],
  ] as const)("%s, %s allowed: %s", (type, allowed, expected) => {
    expect(isOfMediaType(type, allowed)).toBe(expected)
  })

  it("puts every type into blob and at most one more category", () => {
    fc.assert(
      fc.property(fc.stringMatching(/^(image|video|audio|text|application)\/[a-z.+-]{1,20}$/), (type) => {
        const categories = fileCategories.filter((category) => isOfMediaType(type, category))
        expect(categories).toContain("blob")
        expect(categories.length).toBeLessThanOrEqual(2)
      }),
    )
  })
})
