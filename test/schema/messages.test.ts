import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { describe, expect, it } from "vitest"
import type { CallbackEvent, ErrorEvent, Registration } from "../../src/protocol/messages.ts"
import { problems } from "../../src/protocol/errors/problem.ts"
import {
  CallbackEventSchema,
  CallbackResultSchema,
  DevStreamEventSchema,
  ErrorEventSchema,
} from "../../src/schema/callback.ts"
import { createDecoder } from "../../src/schema/decode.ts"
import { RegistrationSchema } from "../../src/schema/registration.ts"

const resultOf =
  <A>(decode: (input: unknown) => Effect.Effect<A, string>) =>
  (input: unknown) =>
    Effect.runSync(Effect.result(decode(input)))

const without = (message: object, key: string) =>
  Object.fromEntries(Object.entries(message).filter(([name]) => name !== key))

describe("a registration", () => {
  const decode = resultOf(createDecoder(RegistrationSchema))
  const registration: Registration = {
    fileKeys: ["u7rKiJYp268sabc_-"],
    metadata: { userId: 1 },
    callbackUrl: "https://app.example.com/api/sluice",
    callbackSlug: "avatar",
  }

  it("is taken with and without its options", () => {
    expect(decode(registration)).toEqual(Result.succeed(registration))
    const full = { ...registration, awaitServerData: false, isDev: true }
    expect(decode(full)).toEqual(Result.succeed(full))
  })

  it.each(["fileKeys", "metadata", "callbackUrl", "callbackSlug"])("is refused without %s", (key) => {
    expect(decode(without(registration, key))).toEqual(Result.fail(`${key}: missing key.`))
  })

  it("takes any JSON for metadata, null too", () => {
    for (const metadata of [null, 0, "", [], {}]) {
      expect(decode({ ...registration, metadata })).toMatchObject({ success: { metadata } })
    }
  })

  it("bounds its keys: 1 to 1000, URL-safe, at most 512 characters", () => {
    const keys = (...fileKeys: ReadonlyArray<unknown>) => Result.isSuccess(decode({ ...registration, fileKeys }))
    expect(keys()).toBe(false)
    expect(keys(...Array<string>(1000).fill("k"))).toBe(true)
    expect(keys(...Array<string>(1001).fill("k"))).toBe(false)
    expect(keys("k".repeat(512))).toBe(true)
    for (const key of ["", "..", "a/b", "a b", "k\n", "ü", "%2e", "a\0", "k".repeat(513), 1, null])
      expect(keys(key)).toBe(false)
  })

  it("refuses a callback URL that is not http(s)", () => {
    for (const callbackUrl of [
      "",
      "/api",
      "app.example.com",
      "ftp://x",
      "javascript:alert(1)",
      "file:///etc/passwd",
      1,
      null,
    ]) {
      expect(Result.isFailure(decode({ ...registration, callbackUrl }))).toBe(true)
    }
    expect(decode({ ...registration, callbackUrl: "ftp://x" })).toEqual(
      Result.fail("callbackUrl: expected an http(s) URL."),
    )
  })

  it("refuses an empty slug and options that are not true or false", () => {
    expect(Result.isFailure(decode({ ...registration, callbackSlug: "" }))).toBe(true)
    expect(Result.isFailure(decode({ ...registration, isDev: "false" }))).toBe(true)
    expect(Result.isFailure(decode({ ...registration, awaitServerData: null }))).toBe(true)
  })
})

const base = { id: "evt_1", sentAt: 1, attempt: 1, origin: "http://localhost:4790", slug: "a", metadata: {} }
const callback: CallbackEvent = {
  ...base,
  status: "uploaded",
  file: {
    key: "k",
    name: "a.png",
    size: 1,
    type: "image/png",
    customId: null,
    url: "http://localhost:4790/f/k",
    fileHash: "0".repeat(64),
    uploadedAt: 1,
  },
}
const failure: ErrorEvent = {
  ...base,
  status: "failed",
  fileKey: "k",
  error: { code: "EXPIRED_URL", message: "too late" },
}

describe("a callback", () => {
  const decode = resultOf(createDecoder(CallbackEventSchema))

  it("is taken, with fields of a later version left out", () => {
    expect(decode(callback)).toEqual(Result.succeed(callback))
    expect(decode({ ...callback, later: 1, file: { ...callback.file, later: 1 } })).toEqual(Result.succeed(callback))
    expect(decode({ ...callback, file: { ...callback.file, customId: "mine" } })).toMatchObject({
      success: { file: { customId: "mine" } },
    })
  })

  it.each(Object.keys(callback))("is refused without %s", (key) => {
    expect(decode(without(callback, key))).toEqual(Result.fail(`${key}: missing key.`))
  })

  it.each(Object.keys(callback.file))("is refused without file.%s", (key) => {
    expect(decode({ ...callback, file: without(callback.file, key) })).toEqual(Result.fail(`file.${key}: missing key.`))
  })

  it("is not to be had from an error event, nor with an empty id", () => {
    expect(Result.isFailure(decode(failure))).toBe(true)
    expect(Result.isFailure(decode({ ...callback, status: "failed" }))).toBe(true)
    expect(Result.isFailure(decode({ ...callback, id: "" }))).toBe(true)
  })
})

describe("an error event", () => {
  const decode = resultOf(createDecoder(ErrorEventSchema))

  it("is taken with every code of the table, and with one of a newer ingest", () => {
    for (const code of [...Object.keys(problems), "NO_SUCH_CODE"]) {
      const event = { ...failure, error: { code, message: "" } }
      expect(decode(event)).toEqual(Result.succeed(event))
    }
    for (const code of [undefined, 7, {}, null]) {
      expect(Result.isFailure(decode({ ...failure, error: { code, message: "" } }))).toBe(true)
    }
  })

  it("is taken with what the upload announced, all of it or nothing", () => {
    const file = { key: "k", name: "a.png", size: 3, type: "image/png", customId: null }
    expect(decode({ ...failure, file })).toEqual(Result.succeed({ ...failure, file }))
    for (const key of Object.keys(file))
      expect(decode({ ...failure, file: without(file, key) })).toEqual(Result.fail(`file.${key}: missing key.`))
  })

  it.each(Object.keys(failure))("is refused without %s", (key) => {
    expect(decode(without(failure, key))).toEqual(Result.fail(`${key}: missing key.`))
  })

  it("is not to be had from a callback", () => {
    expect(Result.isFailure(decode(callback))).toBe(true)
  })
})

describe("a line of the development stream", () => {
  const decode = resultOf(createDecoder(DevStreamEventSchema))

  it("is taken with any hook: an unknown one is the reader's to skip", () => {
    const event = { payload: "{}", signature: "hmac-sha256=00", hook: "later" }
    expect(decode(event)).toEqual(Result.succeed(event))
    for (const key of Object.keys(event)) expect(Result.isFailure(decode(without(event, key)))).toBe(true)
    expect(Result.isFailure(decode({ ...event, payload: {} }))).toBe(true)
  })
})

describe("a callback result", () => {
  const decode = resultOf(createDecoder(CallbackResultSchema))

  it("holds data or an error", () => {
    for (const callbackData of [null, 0, "", { a: 1 }]) {
      expect(decode({ fileKey: "k", callbackData })).toEqual(Result.succeed({ fileKey: "k", callbackData }))
    }
    expect(decode({ fileKey: "k", error: "it threw" })).toEqual(Result.succeed({ fileKey: "k", error: "it threw" }))
  })

  it("is an error when it holds both: no success may hide one", () => {
    expect(decode({ fileKey: "k", callbackData: 1, error: "it threw" })).toEqual(
      Result.succeed({ fileKey: "k", error: "it threw" }),
    )
  })

  it("is refused with neither, or without its key", () => {
    for (const body of [
      { fileKey: "k" },
      { callbackData: 1 },
      { error: "x" },
      { fileKey: 1, callbackData: 1 },
      null,
      [],
    ]) {
      expect(Result.isFailure(decode(body))).toBe(true)
    }
  })
})
