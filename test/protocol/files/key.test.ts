import { readFileSync } from "node:fs"
import fc from "fast-check"
import { defaultOptions } from "sqids"
import { describe, expect, it } from "vitest"
import { encodeAppId } from "../../../src/protocol/signing/app-id.ts"
import { createFileKey, djb2, isKeyOf, shuffle } from "../../../src/protocol/files/key.ts"

const vectors = JSON.parse(readFileSync(new URL("../../vectors.json", import.meta.url), "utf8")) as {
  readonly djb2: ReadonlyArray<{ readonly input: string; readonly djb2: number; readonly abs: number }>
  readonly appIdEncoding: ReadonlyArray<{
    readonly appId: string
    readonly djb2: number
    readonly shuffledAlphabet: string
    readonly encodedAppId: string
  }>
}

describe("reference vectors", () => {
  it.each(vectors.djb2)("djb2 of $input is $djb2", ({ input, djb2: hash, abs }) => {
    expect(djb2(input)).toBe(hash)
    expect(Math.abs(djb2(input))).toBe(abs)
  })

  it.each(vectors.appIdEncoding)("app $appId has the prefix $encodedAppId", (vector) => {
    expect(djb2(vector.appId)).toBe(vector.djb2)
    expect(shuffle(defaultOptions.alphabet, vector.appId)).toBe(vector.shuffledAlphabet)
    expect(encodeAppId(vector.appId)).toBe(vector.encodedAppId)
  })

  it("covers negative hashes, non-Latin text and the empty string", () => {
    expect(vectors.djb2.some((vector) => vector.djb2 < 0)).toBe(true)
    expect(vectors.appIdEncoding.map((vector) => vector.appId)).toEqual(expect.arrayContaining(["", "日本語アプリ"]))
  })
})

/** The three lines of docs/protocol.md §3 in arbitrary precision: no int32 tricks to get wrong. */
const djb2OfTheText = (text: string): number => {
  let hash = 5381n
  for (let i = text.length - 1; i >= 0; i--) hash = BigInt.asIntN(32, hash * 33n) ^ BigInt(text.charCodeAt(i))
  const int32 = BigInt.asIntN(32, hash)
  const shifted = BigInt.asUintN(32, int32) >> 1n
  return Number(BigInt.asIntN(32, (int32 & BigInt.asIntN(32, 0xbfffffffn)) | (shifted & 0x40000000n)))
}

describe("djb2 and shuffle", () => {
  it("does what the protocol's formula says, for any string", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        expect(djb2(text)).toBe(djb2OfTheText(text))
      }),
    )
  })

  it("permutes: no letter is lost, none is doubled", () => {
    fc.assert(
      fc.property(fc.string(), (seed) => {
        expect([...shuffle(defaultOptions.alphabet, seed)].sort()).toEqual([...defaultOptions.alphabet].sort())
      }),
    )
  })

  it("leaves the empty alphabet and that of one letter alone", () => {
    expect(shuffle("", "seed")).toBe("")
    expect(shuffle("a", "seed")).toBe("a")
  })
})

describe("file keys", () => {
  const prefix = encodeAppId("app-1")

  it("gives any app a prefix of at least 12 letters and digits", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (appId) => {
        expect(encodeAppId(appId)).toMatch(/^[A-Za-z0-9]{12,}$/)
      }),
      { numRuns: 50 },
    )
  })

  it("makes a million keys without a duplicate", () => {
    const keys = new Set<string>()
    for (let i = 0; i < 1_000_000; i++) keys.add(createFileKey(prefix))
    expect(keys.size).toBe(1_000_000)
  })

  it("fills every place of a random seed from the whole alphabet", () => {
    const seen = Array.from({ length: 22 }, () => new Set<string>())
    for (let i = 0; i < 5000; i++) [...createFileKey("")].forEach((letter, place) => seen[place]?.add(letter))
    expect(seen.map((letters) => letters.size)).toEqual(seen.map(() => 64))
  })

  it("makes the same key of the same seed, in URL-safe letters, whatever the seed", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (seed) => {
        const key = createFileKey(prefix, seed)
        expect(createFileKey(prefix, seed)).toBe(key)
        expect(key).toMatch(/^[A-Za-z0-9_-]+$/)
        expect(isKeyOf(key, prefix)).toBe(true)
      }),
    )
  })

  it("keeps a URL-safe seed as it is and writes any other as unpadded base64url of its UTF-8", () => {
    expect(createFileKey(prefix, "user_42-avatar")).toBe(`${prefix}user_42-avatar`)
    fc.assert(
      fc.property(fc.string({ unit: "binary", minLength: 1 }), (text) => {
        const seed = `${text} `
        expect(createFileKey("", seed)).toBe(Buffer.from(seed, "utf8").toString("base64url"))
      }),
    )
  })

  it("takes path tricks in a seed for text", () => {
    for (const seed of ["../../etc/passwd", "a/b", "..", "%2e%2e", "a?b#c", "\0"]) {
      expect(createFileKey(prefix, seed).slice(prefix.length)).toMatch(/^[A-Za-z0-9_-]+$/)
    }
  })

  it("knows its own keys and no others", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, other) => {
        fc.pre(djb2(one) !== djb2(other))
        const [mine, theirs] = [encodeAppId(one), encodeAppId(other)]
        expect(isKeyOf(createFileKey(mine), mine)).toBe(true)
        expect(isKeyOf(createFileKey(theirs), mine)).toBe(mine === theirs)
      }),
      { numRuns: 50 },
    )
  })

  it("does not take the bare prefix for a key, nor one in another case or with something before it", () => {
    expect(isKeyOf(prefix, prefix)).toBe(false)
    expect(isKeyOf("", prefix)).toBe(false)
    expect(isKeyOf(createFileKey(prefix, ""), prefix)).toBe(false)
    expect(isKeyOf(`${prefix.toUpperCase()}x`, prefix)).toBe(false)
    expect(isKeyOf(`/${prefix}x`, prefix)).toBe(false)
  })
})
