import { afterEach, describe, expect, test, vi } from "vitest"
import { z } from "zod"
import { isKeyOf } from "../../src/protocol.ts"
import { createSluice } from "../../src/server.ts"
import { appId, createToken, encodedAppId } from "./app-token.ts"
import { appUrl, grantOf, handlerOf, png, presigned, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { json, useMockIngest } from "./mock-ingest.ts"

const ingest = useMockIngest()
useConsoleLines()
afterEach(() => void vi.useRealTimers())

const f = createSluice()
const now = Date.UTC(2026, 0, 1)

describe("the upload action", () => {
  test("does its work in the order of the protocol, and answers once the registration is acknowledged", async () => {
    const steps: Array<string> = []
    const router = {
      avatar: f({ image: { maxFileCount: 2 } }, { fileKeySeed: (file) => (steps.push("seed"), `seed-${file.name}`) })
        .input(z.string().refine(() => steps.push("input")))
        .middleware(() => (steps.push("middleware"), { userId: 7 }))
        .file(({ file }) => void steps.push(`file ${file.name}`))
        .onUploadComplete(() => 1),
    }
    let acknowledge = () => {}
    const arrived = new Promise<void>((resolve) =>
      ingest.answerRegistration(async () => {
        steps.push("registration")
        resolve()
        await new Promise<void>((resolve) => (acknowledge = resolve))
        steps.push("acknowledged")
        return json({ ok: true })
      }),
    )
    const files = [png, { ...png, name: "dog.png" }]
    const answer = handlerOf(router)(uploadRequest("avatar", { files, input: "x" })).then((response) => {
      steps.push("answer")
      return response
    })
    await arrived
    await new Promise((resolve) => setImmediate(resolve))
    acknowledge()
    await presigned(await answer)
    expect(steps).toEqual([
      ...["input", "middleware", "file cat.png", "file dog.png", "seed", "seed"],
      ...["registration", "acknowledged", "answer"],
    ])
  })

  test("answers in request order with URLs that grant exactly what was asked, for an hour", async () => {
    vi.useFakeTimers({ now, toFake: ["Date"] })
    const router = { mixed: f(["image", "application/zip"]).onUploadComplete(() => 1) }
    const files = [{ name: "b.zip", size: 0, type: "application/zip" }, png]
    const response = await handlerOf(router)(uploadRequest("mixed", { files }))
    expect(response.headers.get("content-type")).toBe("application/json")
    expect(response.headers.get("cache-control")).toBe("no-store")
    const uploads = await presigned(response)
    expect(uploads.map(({ name, customId }) => ({ name, customId }))).toEqual([
      { name: "b.zip", customId: null },
      { name: "cat.png", customId: null },
    ])
    for (const [i, { key, url, ...rest }] of uploads.entries()) {
      expect(Object.keys(rest)).toEqual(["name", "customId"])
      expect(isKeyOf(key, encodedAppId)).toBe(true)
      expect(await grantOf(url)).toEqual({
        ...files[i],
        key,
        appId,
        expires: now + 3_600_000,
        slug: "mixed",
        issuedAt: now,
        registrationId: expect.stringMatching(/^[\w-]{22}$/),
        customId: undefined,
        contentDisposition: undefined,
        acl: undefined,
      })
    }
    expect(new Set(uploads.map(({ key }) => key)).size).toBe(2)
  })

  test("names one registration in all URLs of an upload action, and another one in those of the next", async () => {
    const handle = handlerOf({ a: f({ image: { maxFileCount: 2 } }).onUploadComplete(() => 1) })
    const idsOf = async () => {
      const uploads = await presigned(await handle(uploadRequest("a", { files: [png, { ...png, name: "b.png" }] })))
      return Promise.all(uploads.map(async ({ url }) => (await grantOf(url)).registrationId))
    }
    const [first, second] = [await idsOf(), await idsOf()]
    expect([new Set(first).size, new Set(second).size, new Set([...first, ...second]).size]).toEqual([1, 1, 2])
    expect(ingest.registrations.map(({ text }) => JSON.parse(text).id)).toEqual([first[0], second[0]])
  })

  test("writes the parameters of the URL in the protocol's order, the signature last", async () => {
    const router = {
      a: f({ image: { acl: "private", contentDisposition: "attachment", cache: "immutable" } }, { transport: "direct" })
        .file(() => ({ customId: "c 1" }))
        .onUploadComplete(() => 1),
    }
    const [upload] = await presigned(await handlerOf(router)(uploadRequest("a", { files: [png] })))
    expect([...new URL(upload!.url).searchParams.keys()]).toEqual([
      ...["expires", "x-sluice-identifier", "x-sluice-file-name", "x-sluice-file-size", "x-sluice-file-type"],
      ...[
        "x-sluice-slug",
        "x-sluice-registration",
        "x-sluice-issued",
        "x-sluice-custom-id",
        "x-sluice-content-disposition",
        "x-sluice-acl",
        "x-sluice-cache",
        "x-sluice-transport",
        "signature",
      ],
    ])
  })

  test.each([
    ["30 minutes", 1_800_000],
    ["2h", 7_200_000],
    [90, 90_000],
  ] as const)("a presignedUrlTtl of %s is how long the URLs live", async (presignedUrlTtl, ms) => {
    vi.useFakeTimers({ now, toFake: ["Date"] })
    const router = { a: f({ image: {} }, { presignedUrlTtl }).onUploadComplete(() => 1) }
    const [upload] = await presigned(await handlerOf(router)(uploadRequest("a", { files: [png] })))
    expect((await grantOf(upload!.url)).expires).toBe(now + ms)
  })

  test("signs what caches may keep as the kind says, or .file() for one file, and not where neither does", async () => {
    const router = {
      a: f({ image: { cache: "immutable", maxFileCount: 2 }, pdf: {} })
        .file(({ file }) => (file.name === "mine" ? { cache: "revalidate" } : {}))
        .onUploadComplete(() => 1),
    }
    const files = [png, { ...png, name: "mine" }, { name: "b.pdf", size: 1, type: "application/pdf" }]
    const uploads = await presigned(await handlerOf(router)(uploadRequest("a", { files })))
    const grants = await Promise.all(uploads.map(({ url }) => grantOf(url)))
    expect(grants.map(({ cache }) => cache)).toEqual(["immutable", "revalidate", undefined])
  })

  test("signs the acl and the content disposition of the kind each file falls under", async () => {
    const router = {
      a: f({
        image: { acl: "public-read" },
        "image/gif": { acl: "private", contentDisposition: "attachment" },
      }).onUploadComplete(() => 1),
    }
    const files = [png, { name: "b.gif", size: 1, type: "image/gif" }]
    const uploads = await presigned(await handlerOf(router)(uploadRequest("a", { files })))
    const grants = await Promise.all(uploads.map(({ url }) => grantOf(url)))
    expect(grants.map(({ acl, contentDisposition }) => [acl, contentDisposition])).toEqual([
      ["public-read", undefined],
      ["private", "attachment"],
    ])
  })

  test("the URLs point at the option's ingest, base path and all, and region plays no part then", async () => {
    const elsewhere = ingest.watch("http://other.test:8080/base/route-metadata")
    const router = { a: f({ image: {} }).onUploadComplete(() => 1) }
    const options = {
      token: createToken({ ingestUrl: "http://{region}.test", regions: ["eu"] }),
      ingestUrl: "http://other.test:8080/base/",
    }
    const [upload] = await presigned(await handlerOf(router, options)(uploadRequest("a", { files: [png] })))
    expect(upload!.url.startsWith(`http://other.test:8080/base/${upload!.key}?`)).toBe(true)
    expect(elsewhere).toHaveLength(1)
  })

  test("the token's {region} is its first region", async () => {
    const elsewhere = ingest.watch("http://eu.ingest.test/route-metadata")
    const router = { a: f({ image: {} }).onUploadComplete(() => 1) }
    const token = createToken({ ingestUrl: "http://{region}.ingest.test", regions: ["eu", "us"] })
    const [upload] = await presigned(await handlerOf(router, { token })(uploadRequest("a", { files: [png] })))
    expect(upload!.url.startsWith("http://eu.ingest.test/")).toBe(true)
    expect(elsewhere).toHaveLength(1)
  })

  test("works at any path, and for a slug of any characters", async () => {
    const slug = "my route/é&=+"
    const router = { [slug]: f({ image: {} }).onUploadComplete(() => 1) }
    const request = uploadRequest(slug, { files: [png] })
    const moved = new Request(request.url.replace(appUrl, "http://app.test/"), request)
    const [upload] = await presigned(await handlerOf(router)(moved))
    expect((await grantOf(upload!.url)).slug).toBe(slug)
    expect(JSON.parse(ingest.registrations[0]!.text)).toMatchObject({
      callbackSlug: slug,
      callbackUrl: "http://app.test/",
    })
  })

  test("a thousand files in one request", async () => {
    const router = { a: f({ image: { maxFileCount: 1000 } }).onUploadComplete(() => 1) }
    const files = Array.from({ length: 1000 }, (_, i) => ({ ...png, name: `${i}.png` }))
    const uploads = await presigned(await handlerOf(router)(uploadRequest("a", { files })))
    expect(uploads.map(({ name }) => name)).toEqual(files.map(({ name }) => name))
    expect(new Set(uploads.map(({ key }) => key)).size).toBe(1000)
    expect(JSON.parse(ingest.registrations[0]!.text).fileKeys).toEqual(uploads.map(({ key }) => key))
  })

  test("unknown fields of the request are let be", async () => {
    const router = { a: f({ image: {} }).onUploadComplete(() => 1) }
    const body = { files: [{ ...png, lastModified: 1, webkitRelativePath: "x" }], trace: 1 }
    await presigned(await handlerOf(router)(uploadRequest("a", body)))
  })
})
