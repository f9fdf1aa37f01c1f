import { describe, expect, it } from "vitest"
import { toNodeListener } from "../../adapters/node/to-node-listener.ts"
import { SluiceApi } from "../../src/api.ts"
import { encodeToken, names, type UploadGrant } from "../../src/protocol.ts"
import { createRouteHandler, createSluice } from "../../src/server.ts"
import {
  apiKey,
  appId,
  createGrant,
  type IngestUnderTest,
  listen,
  put,
  sign,
  startIngest,
  token,
} from "../ingest/circle.ts"
import { postAction } from "./post-action.ts"

/** Each names a second type, or none; a browser may take it for a page. */
const broken = [
  "text/plain;,text/html",
  "application/json;a=b, text/html",
  "image/png;,image/svg+xml",
  "text/plain,text/html",
  'text/plain;a=", text/html"',
  "text/plain;codecs=a, text/html",
  "text/plain;charset=utf-8,text/html",
  "text/html;charset",
  "text/html charset=utf-8",
  "*/*",
  ",",
]

/** What a type is kept as. */
const kept: ReadonlyArray<readonly [string, string]> = [
  ["text/plain; charset=UTF-8", "text/plain;charset=utf-8"],
  ['Text/Plain;format=flowed; Charset="us-ascii" ; x=y', "text/plain;charset=us-ascii"],
  ["text/html;charset=utf-7", "text/html"],
  ["text/html;charset=iso-2022-jp", "text/html"],
  ["text/html;charset=utf-8x", "text/html"],
  ["video/webm;codecs=vp8,opus", "video/webm"],
  ['video/mp4; codecs="avc1.42E01E, mp4a.40.2"', "video/mp4"],
  ["multipart/x-mixed-replace;boundary=b", "multipart/x-mixed-replace"],
  ["text/plain;", "text/plain"],
]

const problemOf = async (response: Response) => ({ status: response.status, ...((await response.json()) as object) })

/** A multipart form as a browser sends it whose file says that it is of a type. */
const formOf = (name: string, type: string) => ({
  headers: { "content-type": "multipart/form-data; boundary=edge" },
  body: `--edge\r\ncontent-disposition: form-data; name="file"; filename="${name}"\r\ncontent-type: ${type}\r\n\r\na <b>c</b>\r\n--edge--\r\n`,
})

/** A site that takes a form's file and uploads it by the server API, as an app without a file route would. */
const startSite = async (ingest: IngestUnderTest, signed: Array<string> = []): Promise<string> => {
  const spy: typeof fetch = (url, init) => {
    signed.push(new Request(url).url)
    return fetch(url, init)
  }
  const api = new SluiceApi({ token, ingestUrl: ingest.url, fetch: spy })
  return listen(
    toNodeListener(async (request) => {
      const file = (await request.formData()).get("file") as File
      const { data, error } = await api.uploadFiles(file)
      return Response.json({ type: data?.type, code: error?.code, message: error?.message, key: data?.key })
    }),
  )
}

describe("a media type that a form declares", () => {
  it("is refused by the server API where it is none, and the refusal names the file", async () => {
    const ingest = await startIngest()
    const site = await startSite(ingest)
    for (const type of broken) {
      const answer = await (await fetch(site, { method: "POST", ...formOf("résumé.txt", type) })).json()
      expect(answer, type).toMatchObject({
        code: "BAD_REQUEST",
        message: expect.stringMatching(/^"résumé\.txt": expected a media type/),
      })
    }
  })

  it("is stored without its parameters, but for a charset that is known", async () => {
    const ingest = await startIngest()
    const signed: Array<string> = []
    const site = await startSite(ingest, signed)
    for (const [type, stored] of kept) {
      const { key, ...answer } = await (await fetch(site, { method: "POST", ...formOf("a.txt", type) })).json()
      expect(answer, type).toMatchObject({ type: stored })
      expect((await ingest.catalog.get(key))?.file.type).toBe(stored)
      expect(new URL(signed.at(-1)!).searchParams.get(names.query.fileType)).toBe(stored)
    }
  })
})

describe("a media type that a browser declares to a file route", () => {
  it("is refused where it is none, and only the bare type is ever signed", async () => {
    const ingest = await startIngest()
    const f = createSluice()
    const site = await listen(
      toNodeListener(
        createRouteHandler({
          router: { any: f(["blob"]).onUploadComplete(() => null) },
          token: encodeToken({ apiKey, appId, regions: ["local"], ingestUrl: ingest.url }),
          callbackUrl: "http://127.0.0.1:4/api/sluice",
          isDev: false,
          logLevel: "None",
        }),
      ),
    )
    const ask = (type: string) => postAction(site, "upload", "any", { files: [{ name: "a.txt", size: 1, type }] })
    for (const type of broken) {
      expect(await problemOf(await ask(type)), type).toMatchObject({
        status: 400,
        code: "BAD_REQUEST",
        detail: expect.stringContaining('"a.txt"'),
      })
    }
    for (const [type, stored] of kept) {
      const [{ url }] = (await (await ask(type)).json()) as [{ url: string }]
      expect(new URL(url).searchParams.get(names.query.fileType)).toBe(stored.split(";")[0])
    }
  })
})

describe("a media type that somebody else signed", () => {
  const read = async (ingest: IngestUnderTest, grant: UploadGrant) => {
    const response = await fetch(`${ingest.url}/f/${grant.key}`)
    await response.body?.cancel()
    return Object.fromEntries(response.headers)
  }

  it("is refused by the ingest where it is none, before a byte is stored", async () => {
    const ingest = await startIngest()
    for (const type of [...broken, "image"]) {
      const grant = createGrant({ type })
      const url = await sign(ingest.url, grant)
      expect(await problemOf(await put(url, "hello")), type).toMatchObject({
        status: 400,
        code: "BAD_REQUEST",
        detail: expect.stringContaining(names.query.fileType),
      })
      expect((await fetch(url, { method: "HEAD" })).status).toBe(400)
      expect(await ingest.catalog.get(grant.key)).toBeNull()
    }
  })

  it("is stored, told and sent without its parameters; that of the body counts for nothing", async () => {
    const ingest = await startIngest()
    for (const [type, stored] of kept) {
      const { headers, body } = formOf("a.html", "text/html")
      const grant = createGrant({ type, size: "a <b>c</b>".length })
      const response = await put(await sign(ingest.url, grant), body, 0, headers)
      expect(await response.json(), type).toMatchObject({ type: stored })
      expect((await ingest.catalog.get(grant.key))?.file.type).toBe(stored)
      const sent = stored.startsWith("multipart/") ? "application/octet-stream" : stored
      expect(await read(ingest, grant)).toMatchObject({ "content-type": sent })
    }
  })

  it("is sent and listed as one that is known to be safe, though the catalog holds what an older version put there", async () => {
    const ingest = await startIngest()
    const plant = async (type: string) => {
      const grant = createGrant({ type, contentDisposition: "inline" })
      const bytes = new TextEncoder().encode("hello")
      const notes = { now: Date.now(), eventId: `evt_${grant.key}`, claimedUntil: null }
      await ingest.catalog.commitWhole({ grant, origin: ingest.url, bytes, fileHash: "0".repeat(64), ...notes })
      return grant
    }
    const sandboxed = { "content-security-policy": expect.stringMatching(/^sandbox;/) }
    for (const type of [...broken, "", "image", "text/html\r\nx-other: 1"]) {
      const headers = await read(ingest, await plant(type))
      expect(headers, type).toMatchObject({ ...sandboxed, "content-type": "application/octet-stream" })
      // What caches kept of the file under its old type is not what they are told to go on with.
      expect(headers.etag).not.toBe(`"${"0".repeat(64)}"`)
    }
    for (const [type, stored] of kept) {
      const headers = await read(ingest, await plant(type))
      expect(headers["content-type"]).toBe(stored.startsWith("multipart/") ? "application/octet-stream" : stored)
    }
    const listed = await fetch(`${ingest.url}/v6/listFiles`, {
      method: "POST",
      headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
      body: "{}",
    })
    const { files } = (await listed.json()) as { files: ReadonlyArray<{ type: string }> }
    expect(files).toHaveLength(broken.length + 3 + kept.length)
    expect(files.filter(({ type }) => /,/.test(type))).toEqual([])
  })
})

describe("the headers of a stored file", () => {
  const headersOf = async (type: string, disposition?: "inline" | "attachment") => {
    const ingest = await startIngest()
    const png = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10])
    const grant = createGrant({ type, size: 8, contentDisposition: disposition })
    expect((await put(await sign(ingest.url, grant), png, 0, { "content-type": "x/y" })).status).toBe(200)
    const response = await fetch(`${ingest.url}/f/${grant.key}`)
    await response.body?.cancel()
    return Object.fromEntries(response.headers)
  }

  it("sandbox all but pictures, sound, films and PDF", async () => {
    for (const type of ["image/png", "audio/x-scpls", "text/csv", "image/svg+xml", "video/x+xml", "x/y", "text/html"]) {
      const headers = await headersOf(type, "inline")
      expect("content-security-policy" in headers, type).toBe(type !== "image/png")
      expect(headers).toMatchObject({
        "x-content-type-options": "nosniff",
        "cross-origin-resource-policy": "cross-origin",
      })
      expect(headers["content-disposition"]).toMatch(/^inline/)
    }
  })

  it("offer containers of other types for download only, as bytes", async () => {
    for (const type of ["multipart/x-mixed-replace;boundary=b", "multipart/related", "message/rfc822"]) {
      const headers = await headersOf(type, "inline")
      expect(headers["content-type"]).toBe("application/octet-stream")
      expect(headers["content-disposition"]).toMatch(/^attachment/)
    }
  })

  it("are those of a refusal where a browser would run the file, for private and unknown ones alike", async () => {
    const ingest = await startIngest()
    const grant = createGrant({ type: "text/javascript" })
    expect((await put(await sign(ingest.url, grant), "hello", 0, { "content-type": "x/y" })).status).toBe(200)
    const addresses = [`/f/${grant.key}`, "/f/unknown", `/a/${appId}/${grant.key}`]
    const wishes = [
      { "service-worker": "script" },
      ...["serviceworker", "sharedworker", "worker", "script", "audioworklet", "paintworklet", "xslt"].map((dest) => ({
        "sec-fetch-dest": dest,
      })),
    ] as ReadonlyArray<Record<string, string>>
    for (const address of addresses) {
      for (const headers of wishes) {
        const response = await fetch(ingest.url + address, { headers })
        expect(Object.fromEntries(response.headers)).toMatchObject({
          "x-content-type-options": "nosniff",
          "content-security-policy": expect.stringMatching(/^sandbox;/),
          "cache-control": "no-store",
        })
        expect(await problemOf(response)).toMatchObject({ status: 403, code: "FORBIDDEN" })
      }
    }
    for (const dest of ["document", "iframe", "image", "empty", "video"]) {
      const response = await fetch(ingest.url + addresses[0], { headers: { "sec-fetch-dest": dest } })
      expect([response.status, response.headers.get("vary")]).toEqual([200, "sec-fetch-dest, service-worker"])
      await response.body?.cancel()
    }
  })
})
