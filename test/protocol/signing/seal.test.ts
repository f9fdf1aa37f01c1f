import { afterEach, describe, expect, test, vi } from "vitest"

afterEach(() => {
  vi.restoreAllMocks()
  vi.resetModules()
})

const context = { appId: "app-1", slug: "avatar" }
const text = '{"metadata":{"ü":"€😀"}}'

/** The sealer of a platform with `node:crypto`, or of one with Web Crypto alone. */
const load = async (platform: "node" | "web", secret = "sk_live_1") => {
  vi.resetModules()
  const spy = vi.spyOn(process, "getBuiltinModule")
  if (platform === "web") spy.mockReturnValue(undefined)
  const { createSealer } = await import("../../../src/protocol/signing/seal.ts")
  spy.mockRestore()
  return createSealer(secret)
}

describe.each([
  ["node", "node"],
  ["node", "web"],
  ["web", "node"],
  ["web", "web"],
] as const)("what %s has sealed, %s", (by, to) => {
  test("opens", async () => {
    const sealed = await (await load(by)).seal(text, context)
    expect(sealed).toMatch(/^[\w-]+$/)
    expect(await (await load(to)).open(sealed, context)).toBe(text)
  })

  test.each([
    ["with another secret", "sk_live_2", context],
    ["for another app", "sk_live_1", { ...context, appId: "app-2" }],
    ["for another route", "sk_live_1", { ...context, slug: "avatar2" }],
    ["where parts have moved between app and route", "sk_live_1", { appId: "app-1\navatar", slug: "" }],
  ])("does not open %s", async (_, secret, other) => {
    const sealed = await (await load(by)).seal(text, context)
    expect(await (await load(to, secret)).open(sealed, other)).toBeUndefined()
  })

  test("does not open with any bit changed, cut or made longer, nor of another version", async () => {
    const sealed = await (await load(by)).seal(text, context)
    const bytes = Buffer.from(sealed, "base64url")
    const { open } = await load(to)
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes)
      changed[at]! ^= 1 << (at % 8)
      expect(await open(changed.toString("base64url"), context)).toBeUndefined()
      expect(await open(bytes.subarray(0, at).toString("base64url"), context)).toBeUndefined()
    }
    expect(await open(Buffer.concat([bytes, Buffer.of(0)]).toString("base64url"), context)).toBeUndefined()
    expect(await open(Buffer.concat([Buffer.of(2), bytes.subarray(1)]).toString("base64url"), context)).toBeUndefined()
    for (const nonsense of ["", "A", "===", "ü", " ", sealed.slice(1)])
      expect(await open(nonsense, context)).toBeUndefined()
  })

  test("opens in its own context alone, also where the parts are the same", async () => {
    const [sealer, opener] = [await load(by), await load(to)]
    const contexts = [
      { appId: "app-1", slug: "x" },
      { appId: "app-1", fileKey: "x" },
      { appId: "app-1", ingestUrl: "x" },
      { appId: "app-1", ingestUrl: "x/" },
      { appId: "app-1\nx", ingestUrl: "" },
      { appId: "app-2", ingestUrl: "x" },
    ]
    for (const own of contexts) {
      const sealed = await sealer.seal(text, own)
      for (const other of contexts) expect(await opener.open(sealed, other)).toBe(other === own ? text : undefined)
    }
  })

  test("is another each time", async () => {
    const { seal } = await load(by)
    const all = await Promise.all(Array.from({ length: 50 }, () => seal(text, context)))
    expect(new Set(all).size).toBe(50)
  })
})
