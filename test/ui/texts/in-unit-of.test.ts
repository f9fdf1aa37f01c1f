import { describe, expect, it } from "vitest"
import { createTexts as inEnglish, en } from "../../../src/texts/en.ts"
import { de } from "../../../src/texts/de.ts"
import { he } from "../../../src/texts/he.ts"
import type { UploadItem } from "../../../src/ui.ts"
import { inUnitOf } from "../../../src/ui/texts/in-unit-of.ts"

const MB = 1024 * 1024
const uploading = (loaded: number, size: number) =>
  ({ status: "uploading", loaded, size, progress: Math.floor((loaded / size) * 100) }) as UploadItem
const plain = (text: string) => text.replaceAll(/[\u200E\u2066\u2069]/g, "").replaceAll("\u00A0", " ")

describe("how much of a file is there", () => {
  it.each([
    [1008 * 1024, MB, 1],
    [160 * 1024, 7.7 * MB, 0.2],
    [0, 30 * MB, 0],
    [41 * MB, 180 * MB, 41],
    [500, 900, 500],
    [3 * 1024 ** 5, 4 * 1024 ** 5, 3072],
  ])("is said in the unit of the whole: %i of %i bytes", (part, whole, said) => {
    expect(inUnitOf(part, whole)).toBe(said)
  })

  it("has one unit in the row of a file, in all languages", () => {
    const item = uploading(1008 * 1024, MB)
    expect(plain(en.fileState(item))).toBe("1 of 1 MB, 98 %")
    expect(plain(de.fileState(item))).toBe("1 von 1 MB, 98 %")
    expect(plain(he.fileState(item))).not.toContain("KB")
  })

  it("is written as its whole is, where it has thousands of a unit", () => {
    const item = uploading(1_055_000_000, 1_060_000_000)
    expect(plain(en.fileState(item))).toBe("1,006.1 of 1,010.9 MB, 99 %")
    expect(plain(de.fileState(item))).toBe("1.006,1 von 1.010,9 MB, 99 %")
  })

  it("is written as the page writes sizes, where that has a way of its own", () => {
    const texts = inEnglish({ size: (bytes) => `${Math.ceil(bytes / 1000)} kB` })
    expect(texts.fileState(uploading(500_000, 2_000_000))).toBe("500 kB of 2000 kB, 25 %")
  })
})
