import { createHash } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createSigner, createFileKey, encodeAppId, names, problems, signUploadUrl } from "../../src/protocol.ts"
import {
  appId,
  createGrant,
  hasByte,
  offsetOf,
  put,
  putRaw,
  register,
  sign,
  startApp,
  startIngest,
  toForm,
} from "./circle.ts"

const png = Uint8Array.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13, 0x49, 0x48, 0x44, 0x52])
const base64Sha256 = (bytes: string) => createHash("sha256").update(bytes).digest("base64")

const problemOf = async (response: Response): Promise<string> => {
  expect(response.headers.get("content-type")).toBe("application/problem+json")
  expect(response.headers.get("access-control-allow-origin")).toBe("*")
  const problem = await response.json()
  expect(problem.status).toBe(response.status)
  expect(Object.keys(problems)).toContain(problem.code)
  expect(problem.detail.length).toBeGreaterThan(10)
  return `${response.status} ${problem.code}`
}

describe("a signed URL", () => {
  it("is refused after any change, and nothing is stored", async () => {
    const { url, catalog } = await startIngest()
    const grant = createGrant({ slug: "avatar", customId: "mine" })
    const signed = await sign(url, grant)
    const pathStart = signed.indexOf("/", 8) + 1
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: pathStart, max: signed.length - 1 }),
        fc.constantFrom(..."abcXYZ019-_"),
        async (at, letter) => {
          fc.pre(signed[at] !== letter)
          const changed = signed.slice(0, at) + letter + signed.slice(at + 1)
          expect([400, 403, 404]).toContain((await putRaw(changed, "hello")).status)
          expect([400, 403, 404]).toContain((await fetch(changed, { method: "HEAD" })).status)
        },
      ),
      { numRuns: 60 },
    )
    expect(await catalog.get(grant.key)).toBeNull()
  })

  it("is refused when it was signed with another key, for another app or a key of another app", async () => {
    const { url } = await startIngest()
    const other = createSigner("sk_other")
    expect(await problemOf(await putRaw(await signUploadUrl(url, createGrant(), other), "hello"))).toBe(
      "403 INVALID_SIGNATURE",
    )
    expect(
      await problemOf(await putRaw(await signUploadUrl(url, createGrant({ appId: "other" }), other), "hello")),
    ).toBe("403 INVALID_SIGNATURE")
    const foreign = createGrant({ key: createFileKey(encodeAppId("other")) })
    expect(await problemOf(await putRaw(await sign(url, foreign), "hello"))).toBe("403 FORBIDDEN")
  })

  it("is refused when it has expired", async () => {
    const { url, catalog } = await startIngest()
    const grant = createGrant({ expires: Date.now() - 1 })
    expect(await problemOf(await putRaw(await sign(url, grant), "hello"))).toBe("403 EXPIRED_URL")
    expect(await catalog.get(grant.key)).toBeNull()
  })

  it("is refused without a signature", async () => {
    const { url } = await startIngest()
    const signed = await sign(url, createGrant())
    expect(await problemOf(await putRaw(signed.slice(0, signed.indexOf("&signature=")), "hello"))).toBe(
      "403 INVALID_SIGNATURE",
    )
    expect(await problemOf(await putRaw(`${url}/${createGrant().key}`, "hello"))).toBe("400 BAD_REQUEST")
  })

  it("counts as it was signed for the public address, with or without its path in front", async () => {
    const { url } = await startIngest({ url: "https://cdn.example/ingest/" })
    const signed = await sign("https://cdn.example/ingest", createGrant())
    for (const local of [
      signed.replace("https://cdn.example", url),
      signed.replace("https://cdn.example/ingest", url),
    ]) {
      const response = await putRaw(local, "hello")
      expect(response.status).toBe(200)
      expect((await response.json()).url).toMatch(/^https:\/\/cdn\.example\/ingest\/f\//)
    }
    const byAnotherName = await putRaw(await sign(url, createGrant()), "hello")
    expect(byAnotherName.status).toBe(403)
    const { code, detail } = await byAnotherName.json()
    expect({ code, detail }).toEqual({ code: "INVALID_SIGNATURE", detail: expect.stringContaining("(--url)") })
    const ofNobody = await putRaw(await sign(url, createGrant({ appId: "nobody" })), "hello")
    expect(await ofNobody.json()).toMatchObject({ code, detail })
  })

  it("counts for the request's own origin where no address is configured", async () => {
    const { url } = await startIngest({ url: undefined })
    const response = await putRaw(await sign(url, createGrant()), "hello")
    expect((await response.json()).url.startsWith(`${url}/f/`)).toBe(true)
  })
})

describe("a body", () => {
  it.each([
    ["raw, known beforehand", "hello!", {}],
    ["raw, in chunks", new Blob(["hello!"]).stream(), {}],
    ["a form", toForm("hello!"), undefined],
  ])("of more bytes than signed is refused, and ends the upload: %s", async (_what, body, headers) => {
    const { url, catalog, store } = await startIngest()
    const grant = createGrant()
    const signed = await sign(url, grant)
    const response = await (headers === undefined ? put(signed, body) : putRaw(signed, body, 0, headers))
    expect(await problemOf(response)).toBe("413 SIZE_MISMATCH")
    expect((await catalog.get(grant.key))?.file.status).toBe("Failed")
    expect(await hasByte({ store, catalog }, grant.key, 0)).toBe(false)
    expect(await problemOf(await putRaw(signed, "hello"))).toBe("413 SIZE_MISMATCH")
    const anew = await sign(url, { ...grant, expires: grant.expires + 1, size: 6 })
    expect((await putRaw(anew, "hello!")).status).toBe(200)
  })

  it("of more bytes than signed is told to the app", async () => {
    const { url } = await startIngest()
    const app = await startApp()
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url })
    const signed = await sign(url, grant)
    expect((await putRaw(signed, "hel")).status).toBe(409)
    expect((await putRaw(signed, new Blob(["lo!"]).stream(), 3)).status).toBe(413)
    await app.until(1)
    expect(app.received[0]!.event).toMatchObject({ fileKey: grant.key, error: { code: "SIZE_MISMATCH" } })
  })

  it("that begins elsewhere and would end behind the signed size only hears where to go on", async () => {
    const { url } = await startIngest()
    const signed = await sign(url, createGrant())
    const response = await putRaw(signed, "hello", 1)
    expect(await problemOf(response)).toBe("409 RANGE_MISMATCH")
    expect(response.headers.get(names.header.rangeStart)).toBe("0")
    expect((await putRaw(signed, "hello")).status).toBe(200)
  })

  it("with a malformed range is refused", async () => {
    const { url } = await startIngest()
    const response = await putRaw(await sign(url, createGrant()), "hello", 0, { range: "bytes=0-4" })
    expect(await problemOf(response)).toBe("400 BAD_REQUEST")
  })

  it("of a form without the part is refused, and the upload can still be made", async () => {
    const { url } = await startIngest()
    const signed = await sign(url, createGrant())
    const form = new FormData()
    form.set("other", "x")
    expect(await problemOf(await put(signed, form))).toBe("400 BAD_REQUEST")
    expect((await putRaw(signed, "hello")).status).toBe(200)
  })
})

describe("content", () => {
  const lies: ReadonlyArray<[string, string | Uint8Array<ArrayBuffer>]> = [
    ["image/png", Uint8Array.from([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 0])],
    ["image/png", "MZ\x90\0\x03\0\0\0\x04\0\0\0"],
    ["image/jpeg", "<!DOCTYPE html><html><script>alert(1)</script></html>"],
    ["image/gif", "  \n<script>alert(1)</script>"],
    ["image/webp", "PK\x03\x04\x14\0\0\0\x08\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"],
    ["image/png", "%PDF-1.7 and so on, as long as it needs"],
    ["application/pdf", "#!/bin/sh\nrm -rf /"],
    ["video/mp4", png],
  ]

  it.each(lies)("declared %s is refused when it is a plain lie", async (type, content) => {
    const { url, catalog, store } = await startIngest()
    const grant = createGrant({ type, size: new Blob([content]).size })
    const signed = await sign(url, grant)
    expect(await problemOf(await put(signed, toForm(content)))).toBe("415 CONTENT_MISMATCH")
    expect((await catalog.get(grant.key))?.file.status).toBe("Failed")
    expect(await hasByte({ store, catalog }, grant.key, 0)).toBe(false)
    expect(await problemOf(await put(signed, toForm(content)))).toBe("415 CONTENT_MISMATCH")
  })

  const truths: ReadonlyArray<[string, string | Uint8Array<ArrayBuffer>]> = [
    ["image/png", png],
    ["image/jpeg", png],
    ["text/plain", "<html>"],
    ["text/html", "<!doctype html>"],
    ["image/svg+xml", "<svg xmlns='http://www.w3.org/2000/svg'/>"],
    ["application/vnd.openxmlformats-officedocument.wordprocessingml.document", "PK\x03\x04rest"],
    ["application/octet-stream", "MZ anything"],
    ["image/png", "plain words cannot be told from a picture we do not know"],
    ["video/mp2t", "#!/usr/bin/env node\nconsole.log('a .ts file')"],
    ["", "x"],
  ]

  it.each(truths)("declared %j is taken when it is true or cannot be told", async (type, content) => {
    const { url } = await startIngest()
    const signed = await sign(url, createGrant({ type, size: new Blob([content]).size }))
    expect((await put(signed, toForm(content))).status).toBe(200)
  })

  it("is found out before the rest is read", async () => {
    const { url } = await startIngest()
    const size = 1024 * 1024 * 1024
    let sent = 0
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        const chunk = new Uint8Array(64 * 1024)
        chunk.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
        sent += chunk.length
        controller.enqueue(chunk)
      },
    })
    const outcome = await putRaw(await sign(url, createGrant({ type: "image/png", size })), body).then(
      problemOf,
      () => "the connection was closed",
    )
    expect(["415 CONTENT_MISMATCH", "the connection was closed"]).toContain(outcome)
    expect(sent).toBeLessThan(size / 2)
  })

  it("is found out also when it comes byte by byte", async () => {
    const { url } = await startIngest()
    const lie = "<html>"
    const signed = await sign(url, createGrant({ type: "image/png", size: lie.length }))
    const statuses = []
    for (const [index, letter] of [...lie].entries()) statuses.push((await putRaw(signed, letter, index)).status)
    expect(statuses).toEqual([409, 409, 409, 409, 409, 415])
  })

  it("that is refused is told to the app", async () => {
    const { url } = await startIngest()
    const app = await startApp()
    const grant = createGrant({ name: "cat.png", type: "image/png", size: 6, slug: "avatar", customId: "mine" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url })
    expect((await put(await sign(url, grant), toForm("<html>"))).status).toBe(415)
    await app.until(1)
    expect(app.received[0]!.headers.get(names.header.hook)).toBe("error")
    expect(app.received[0]!.event).toMatchObject({
      status: "failed",
      fileKey: grant.key,
      file: { key: grant.key, name: "cat.png", size: 6, type: "image/png", customId: "mine" },
      metadata: { userId: 7 },
      error: { code: "CONTENT_MISMATCH", message: expect.stringContaining("image/png") },
    })
  })

  it("can be replaced under the same key by a newly signed upload", async () => {
    const { url } = await startIngest()
    const grant = createGrant({ type: "image/png", size: 6 })
    expect((await putRaw(await sign(url, grant), "<html>")).status).toBe(415)
    const signed = await sign(url, { ...grant, expires: grant.expires + 1, size: png.length })
    expect(await offsetOf(signed)).toBe(0)
    expect((await putRaw(signed, png)).status).toBe(200)
  })
})

describe("digests", () => {
  it.each(["content-digest", "repr-digest"])("of %s are checked", async (name) => {
    const { url, catalog } = await startIngest()
    const right = await putRaw(await sign(url, createGrant()), "hello", 0, {
      [name]: `sha-256=:${base64Sha256("hello")}:`,
    })
    expect(right.status).toBe(200)
    const grant = createGrant()
    const wrong = await putRaw(await sign(url, grant), "hallo", 0, { [name]: `sha-256=:${base64Sha256("hello")}:` })
    expect(await problemOf(wrong)).toBe("422 DIGEST_MISMATCH")
    expect((await catalog.get(grant.key))?.file.status).toBe("Failed")
    const malformed = await putRaw(await sign(url, createGrant()), "hello", 0, { [name]: "sha-256=hello" })
    expect(await problemOf(malformed)).toBe("400 BAD_REQUEST")
    const unknown = await putRaw(await sign(url, createGrant()), "hello", 0, { [name]: "sha-512=:AAAA:" })
    expect(unknown.status).toBe(200)
  })

  it("of the content are those of each request, of the representation those of the file", async () => {
    const { url } = await startIngest()
    const signed = await sign(url, createGrant())
    const digests = (content: string) => ({
      "content-digest": `sha-512=:AAAA:, sha-256=:${base64Sha256(content)}:`,
      "repr-digest": `sha-256=:${base64Sha256("hello")}:`,
    })
    expect((await putRaw(signed, "hel", 0, digests("hel"))).status).toBe(409)
    expect((await putRaw(signed, "lo", 3, digests("lo"))).status).toBe(200)
  })
})

describe("the ingest", () => {
  it("answers unknown paths with a problem document", async () => {
    const { url } = await startIngest()
    for (const path of ["/", "/a/b/c/d", "/f/../x y", "/v7/listFiles", "/%00", "/f/a%2Fb"]) {
      expect(await problemOf(await fetch(url + path))).toMatch(/^(404 NOT_FOUND|405 METHOD_NOT_ALLOWED)$/)
    }
  })

  it("says which methods are possible", async () => {
    const { url } = await startIngest()
    const expected = {
      [`/${names.path.register}`]: "POST",
      [`/${names.path.callbackResult}`]: "POST",
      [`/${createGrant().key}`]: "HEAD, PUT, POST, DELETE, OPTIONS",
      "/f/key": "GET, HEAD, OPTIONS",
    }
    for (const [path, allow] of Object.entries(expected)) {
      const response = await fetch(url + path, { method: "PATCH" })
      expect(await problemOf(response)).toBe("405 METHOD_NOT_ALLOWED")
      expect(response.headers.get("allow")).toBe(allow)
    }
  })

  it("lets pages of other origins ask before they upload", async () => {
    const { url } = await startIngest()
    const response = await fetch(await sign(url, createGrant()), {
      method: "OPTIONS",
      headers: { origin: "https://page.example", "access-control-request-method": "PUT" },
    })
    expect(response.status).toBe(204)
    expect(response.headers.get("access-control-allow-origin")).toBe("*")
    expect(response.headers.get("access-control-allow-methods")).toMatch(/HEAD.*PUT.*POST.*DELETE/)
    for (const header of ["range", "content-type", names.header.version, "traceparent"]) {
      expect(response.headers.get("access-control-allow-headers")).toContain(header)
    }
  })

  it("tells what it cannot read of its own configuration", async () => {
    await expect(startIngest({ token: "nonsense" })).rejects.toThrow(/INVALID_TOKEN/)
    await expect(startIngest({ url: "nonsense" })).rejects.toThrow(/INVALID_CONFIG/)
    // Behind a proxy that removes it, `/f/<key>` would be read as the upload `/<key>`.
    for (const path of ["f", "a/", "p", "v6//"]) {
      await expect(startIngest({ url: `https://files.example.com/${path}` })).rejects.toThrow(
        /INVALID_CONFIG.*path \/\w+,/,
      )
    }
    for (const path of ["", "files", "f/g", "files/f", "F"])
      await startIngest({ url: `https://files.example.com/${path}` })
    expect(appId).toBe(createGrant().appId)
  })
})
