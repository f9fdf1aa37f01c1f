import { readdir } from "node:fs/promises"
import { request as httpRequest } from "node:http"
import { join } from "node:path"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createDiskBlobStore, createSqliteCatalog, type IngestOptions } from "../../src/ingest.ts"
import { encodeAppId, names } from "../../src/protocol.ts"
import { speak } from "../adapters/node/servers.ts"
import { makeFolder } from "../make-folder.ts"
import {
  apiKey,
  appId,
  createGrant,
  encodedAppId,
  offsetOf,
  postResult,
  putRaw,
  register,
  sign,
  startIngest,
  token,
} from "./circle.ts"
import { captureConsole } from "./capture-console.ts"

/** An ingest on disk, and a look at all files in the folder around its data. */
const start = async (options: Partial<IngestOptions> = {}) => {
  const around = await makeFolder()
  const data = join(around, "a", "b", "data")
  const ingest = await startIngest({
    store: createDiskBlobStore({ folder: join(data, "files") }),
    catalog: createSqliteCatalog({ file: join(data, "catalog.sqlite"), largestContent: 0 }),
    callbackRetries: [],
    callbackWait: 50,
    ...options,
  })
  return {
    ...ingest,
    files: async () =>
      (await readdir(around, { recursive: true, withFileTypes: true }))
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name).slice(around.length + 1)),
  }
}

const ownFiles = /^a\/b\/data\/(spare-room|catalog\.sqlite(-wal|-shm)?|files\/[0-9a-f]{2}\/[0-9a-f]{62}(\.\d+)?)$/

/** A request whose target goes over the wire as it is: `fetch` would tidy it up. */
const ask = (base: string, method: string, path: string, headers: Record<string, string> = {}): Promise<number> => {
  const { hostname, port } = new URL(base)
  return new Promise((resolve, reject) => {
    const sending = httpRequest({ hostname, port, method, path, headers }, (response) => {
      response.resume().once("end", () => resolve(response.statusCode!))
    })
    sending.once("error", reject).end(method === "PUT" || method === "POST" ? "hello" : undefined)
  })
}

const tricks = fc.constantFrom(
  "..",
  ".",
  "../../etc/passwd",
  "..%2f..%2fetc%2fpasswd",
  "%2e%2e",
  "%2e%2e/%2e%2e",
  "%252e%252e%252f",
  "%00",
  "a%00.png",
  "%5c..%5c..%5cwindows",
  "..\\..\\windows",
  "%c0%ae%c0%ae",
  "con",
  "/etc/passwd",
  "//",
  "a.b.1",
  "%",
  "%zz",
  "-".repeat(5000),
  "%F0%9F%98%80",
  "__proto__",
  "constructor",
)

const paths = fc
  .array(fc.oneof(tricks, fc.constantFrom("f", "a", "p", appId, encodedAppId, names.path.register, "v6")), {
    minLength: 1,
    maxLength: 4,
  })
  .map((segments) => `/${segments.join("/")}`)

describe("a request without a signature", () => {
  it("finds nothing and stores nothing, whatever its path", async () => {
    const { url, files } = await start()
    const before = await files()
    const methods = fc.constantFrom("GET", "HEAD", "PUT", "POST", "DELETE", "PATCH")
    await fc.assert(
      fc.asyncProperty(
        methods,
        paths,
        fc.constantFrom("", "?signature=", "?expires=1&signature=hmac-sha256%3D00"),
        async (method, path, query) => {
          const status = await ask(url, method, path + query)
          expect(status, `${method} ${path}${query}`).toBeGreaterThanOrEqual(400)
          expect(status, `${method} ${path}${query}`).toBeLessThan(500)
        },
      ),
      { numRuns: 400 },
    )
    expect(await files()).toEqual(before)
  })
})

describe("a signed key", () => {
  const seeds = fc.oneof(
    tricks,
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
    fc.constantFrom("a", "A").map((letter) => letter.repeat(700)),
  )

  it("names no path: its file is read back under it and nowhere else, or it is refused", async () => {
    const { url, files } = await start()
    const statuses = new Set<number>()
    await fc.assert(
      fc.asyncProperty(seeds, async (seed) => {
        const grant = createGrant({ key: encodedAppId + seed, size: 5 })
        // What cannot be signed cannot come.
        const signed = await sign(url, grant)
        const path = signed.slice(url.length)
        if (!/^[\x21-\x7e]+$/.test(path)) return
        const status = await ask(url, "PUT", path, {
          "content-type": "application/octet-stream",
          "content-length": "5",
        })
        statuses.add(status)
        if (status === 200) {
          const read = await fetch(`${url}/f/${grant.key}`)
          expect([read.status, await read.text()]).toEqual([200, "hello"])
        } else {
          expect(status).toBeGreaterThanOrEqual(400)
          expect(status).toBeLessThan(500)
        }
      }),
      { numRuns: 200 },
    )
    expect(statuses).toContain(200)
    for (const file of await files()) expect(file).toMatch(ownFiles)
  })

  it("of another letter case is another file", async () => {
    const { url } = await start()
    const grants = ["Seed", "seed", "SEED"].map((seed) => createGrant({ key: encodedAppId + seed }))
    for (const [index, grant] of grants.entries()) await putRaw(await sign(url, grant), `file${index}`)
    for (const [index, { key }] of grants.entries()) {
      expect(await (await fetch(`${url}/f/${key}`)).text()).toBe(`file${index}`)
    }
  })

  it("of another app is refused, also where its name begins like ours", async () => {
    const { url, files } = await start()
    const before = await files()
    for (const key of [
      `${encodeAppId("app-2")}seed`,
      encodedAppId.slice(0, -1),
      `x${encodedAppId}seed`,
      encodedAppId.toUpperCase(),
    ]) {
      const signed = await sign(url, createGrant({ key }))
      expect((await putRaw(signed, "hello")).status, key).toBe(403)
      expect((await fetch(signed, { method: "HEAD" })).status, key).toBe(403)
      expect((await register(url, { fileKeys: [key] })).status, key).toBe(403)
      expect((await postResult(url, { fileKey: key, callbackData: 1 })).status, key).toBe(403)
    }
    expect(await files()).toEqual(before)
  })
})

it("what hostile requests leave in the log and in answers at the highest level holds no secret", async () => {
  const seen = captureConsole()
  const { url, store } = await start({ logLevel: "All" })
  const broken = await startIngest({
    logLevel: "All",
    store: { ...store, append: async () => Promise.reject(new Error(`no room for ${apiKey}, ${token}`)) },
  })
  const grant = createGrant({ slug: "avatar" })
  const signed = await sign(url, grant)
  const signature = /hmac-sha256%3D([0-9a-f]{64})/.exec(signed)![1]!
  const answers = [
    await putRaw(signed.replace("size=5", "size=6"), "hello!"),
    await putRaw(`${signed}&x=1`, "hello"),
    await putRaw(signed, "hello", 3),
    await putRaw(signed, "hello", 0, { range: `bytes=hmac-sha256=${signature} ${apiKey}` }),
    await putRaw(signed, "hello", 0, { "content-digest": `sha-256=:${apiKey}:` }),
    await fetch(signed, {
      method: "PUT",
      body: "--",
      headers: { "content-type": `multipart/form-data; boundary=${apiKey}` },
    }),
    await fetch(`${url}/f/${grant.key}?signature=${apiKey}`),
    await fetch(`${url}/${apiKey}`, { method: "PUT", body: "" }),
    await register(url, { fileKeys: [apiKey] }),
    await register(url, { fileKeys: [grant.key], callbackUrl: `http://user:${apiKey}@127.0.0.1:1/?token=${token}` }),
    await postResult(url, { fileKey: grant.key, error: 7, apiKey }),
    await fetch(`${url}/${names.path.register}`, {
      method: "POST",
      body: apiKey,
      headers: { [names.header.apiKey]: apiKey },
    }),
    await putRaw(signed, "hello"),
    await putRaw(await sign(broken.url, createGrant({ size: 100_000 })), new Uint8Array(100_000)),
  ]
  const bodies = await Promise.all(answers.map((answer) => answer.text()))
  expect(await offsetOf(signed)).toBeGreaterThanOrEqual(0)
  expect(seen.length).toBeGreaterThan(1)
  for (const secret of [apiKey, token, signature]) expect(seen.join("\n")).not.toContain(secret)
  // An answer may repeat to a client what it has sent itself.
  expect(bodies.join("\n")).not.toContain(token)
})

it("a body in a transfer coding that the ingest does not decode is refused, and nothing of it is stored", async () => {
  const { url, catalog } = await start()
  const grant = createGrant({ size: 5 })
  const target = (await sign(url, grant)).slice(url.length)
  const send = (coding: string) =>
    speak(
      Number(new URL(url).port),
      `PUT ${target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: ${coding}\r\n\r\n5\r\nhello\r\n0\r\n\r\n`,
    )
  for (const coding of ["gzip, chunked", "deflate,chunked", "identity, chunked"]) {
    expect(await send(coding)).toMatch(/^HTTP\/1\.1 501 [^]*does not decode/)
    expect(await catalog.get(grant.key)).toBeNull()
  }
  expect(await send("Chunked")).toMatch(/^HTTP\/1\.1 200 /)
})
