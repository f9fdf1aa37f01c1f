import { expect, test, vi } from "vitest"
import { list, plural, writeNumber, writeSize } from "../../../src/ui/texts/english-words.ts"
import { createPlural, createSizeFormat } from "../../../src/ui/texts/text-formats.ts"

/** Around each power of ten and of 1,024, with and without fractions. */
const values = [10, 1024].flatMap((base) =>
  [0, 1, 2, 3, 4].flatMap((power) =>
    [-1, -0.05, -0.04, 0, 0.04, 0.25, 0.5, 1, 1.1, 999].map((offset) => Math.max(0, base ** power + offset)),
  ),
)

test("English numbers, sizes, counts and lists are those of Intl", () => {
  const numbers = new Intl.NumberFormat("en", { maximumFractionDigits: 1 })
  expect(values.map(writeNumber)).toEqual(values.map((value) => numbers.format(value)))
  const size = createSizeFormat("en")
  expect(values.map(writeSize)).toEqual(values.map(size))
  const count = createPlural("en")
  const forms = { one: "# file", other: "# files" }
  const whole = values.map(Math.round)
  expect(whole.map((value) => plural(forms, value))).toEqual(whole.map((value) => count(forms, value)))
  for (const [type, word] of [
    ["conjunction", "and"],
    ["disjunction", "or"],
  ] as const) {
    for (const names of [[], ["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]]) {
      expect(list(names, word)).toBe(new Intl.ListFormat("en", { type }).format(names))
    }
  }
})

test("English texts never ask Intl: a browser would read the data of all its locales, 4 MB", async () => {
  vi.resetModules()
  const asked: Array<string> = []
  const spied = new Proxy(Intl, {
    get: (target, name, receiver) => {
      asked.push(String(name))
      return Reflect.get(target, name, receiver)
    },
  })
  vi.stubGlobal("Intl", spied)
  try {
    const { createUploadTexts } = await import("../../../src/ui/texts/english-texts.ts")
    const { createAnnouncementTexts } = await import("../../../src/ui/texts/announcement-texts.ts")
    const texts = createUploadTexts()
    texts.size(1536)
    texts.upload(1234)
    texts.timeLeft(100)
    createAnnouncementTexts(texts).progress(40, 100)
    expect(asked).toEqual([])
  } finally {
    vi.unstubAllGlobals()
    vi.resetModules()
  }
})
