import { request as httpRequest } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it } from "vitest"
import { eventually, putRaw, randomContent, register, sign, createGrant, signer } from "../ingest/circle.ts"
import { names, parseUploadUrl, signUploadUrl, type UploadGrant } from "../../src/protocol.ts"
import { startRestartableCircle } from "./restartable-circle.ts"

const sizes = [
  ["kept in the catalog", 1000],
  ["kept as a blob", 200_000],
] as const

const toldOf = async (response: Response): Promise<string> => {
  const { code, detail } = (await response.json()) as { readonly code: string; readonly detail: string }
  return `${response.status} ${code} ${detail}`
}
const gone = /^404 NOT_FOUND .*was deleted\. Do not send it again\.$/

const grantOf = (url: string): UploadGrant => {
  const parsed = parseUploadUrl(url)
  if (!parsed.ok) throw new Error(parsed.detail)
  return parsed.value
}

/** Expects that nobody gets a file in under a URL, nor reads one. */
const expectGone = async (ingestUrl: string, url: string, content: Uint8Array<ArrayBuffer>): Promise<void> => {
  expect(await toldOf(await putRaw(url, content))).toMatch(gone)
  expect((await fetch(url, { method: "HEAD" })).status).toBe(404)
  expect(await toldOf(await putRaw(url, null, content.length))).toMatch(gone)
  const other = randomContent(content.length)
  expect(await toldOf(await putRaw(url, other))).toMatch(gone)
  const { key } = grantOf(url)
  for (const address of [`f/${key}`, `a/app-1/${key}`])
    expect((await fetch(`${ingestUrl}/${address}`)).status).toBe(404)
}

/** Sends the beginning of a file and keeps the connection open. */
const beginSlowly = (url: string, content: Uint8Array, count: number) => {
  const sending = httpRequest(url, {
    method: "PUT",
    headers: { "content-type": "application/octet-stream", "content-length": content.length },
  })
  const answer = new Promise<string>((resolve) => {
    sending.once("response", (response) => {
      let text = ""
      response.on("data", (chunk: Buffer) => (text += chunk.toString()))
      response.on("end", () => {
        const { code, detail } = JSON.parse(text)
        resolve(`${response.statusCode} ${code} ${detail}`)
      })
    })
    sending.once("error", (cause) => resolve(String(cause)))
  })
  sending.write(content.subarray(0, count))
  return { answer, finish: () => void sending.end(content.subarray(count)) }
}

describe("a file that its app has deleted", () => {
  it.each(sizes)(
    "does not come back by its URL or a renewed one, before and after a stop and kill -9 (%s)",
    { timeout: 120_000 },
    async (_where, size) => {
      const circle = await startRestartableCircle()
      const content = randomContent(size)
      const [upload] = await circle.request("notes", [{ name: "a.bin", size }])
      expect((await putRaw(upload!.url, content)).status).toBe(200)
      await eventually(() => circle.heard.length === 1)
      expect((await fetch(`${circle.ingestUrl}/f/${upload!.key}`)).status).toBe(200)
      const [renewed] = await circle.renew("notes", upload!.url)
      expect(await circle.api.deleteFiles(upload!.key)).toMatchObject({ deletedCount: 1 })

      await expect(circle.renew("notes", upload!.url)).rejects.toThrow("404")
      for (const url of [upload!.url, renewed!.url]) await expectGone(circle.ingestUrl, url, content)
      await circle.restart("kill")
      for (const url of [upload!.url, renewed!.url]) await expectGone(circle.ingestUrl, url, content)
      // Its bytes are gone, its row too.
      await eventually(async () => (await circle.api.listFiles()).files.length === 0)
      await circle.restart("stop")
      for (const url of [upload!.url, renewed!.url]) await expectGone(circle.ingestUrl, url, content)
      expect((await circle.api.listFiles()).files).toEqual([])
      expect(circle.heard).toEqual([upload!.key])
    },
  )

  it("does not come back when its key is registered again", { timeout: 60_000 }, async () => {
    const circle = await startRestartableCircle()
    const content = randomContent(1000)
    const [upload] = await circle.request("notes", [{ name: "a.bin", size: 1000 }])
    await putRaw(upload!.url, content)
    await circle.api.deleteFiles(upload!.key)
    const again = { fileKeys: [upload!.key], callbackUrl: circle.appUrl, callbackSlug: "notes", awaitServerData: false }
    expect((await register(circle.ingestUrl, again)).status).toBe(200)
    await expectGone(circle.ingestUrl, upload!.url, content)
    await circle.restart("kill")
    expect((await register(circle.ingestUrl, again)).status).toBe(200)
    await expectGone(circle.ingestUrl, upload!.url, content)
  })

  it.each(sizes)(
    "is not stored by whoever is sending it, who is told so (%s)",
    { timeout: 60_000 },
    async (_where, size) => {
      const circle = await startRestartableCircle()
      const content = randomContent(size)
      const [upload] = await circle.request("notes", [{ name: "a.bin", size }])
      const slow = beginSlowly(upload!.url, content, size - 1)
      // Of a small file nothing is known to the ingest yet: give its first bytes the time to be read.
      if (size < 64 * 1024) await sleep(300)
      else await eventually(async () => (await circle.api.listFiles()).files.length === 1)
      await circle.api.deleteFiles(upload!.key)
      slow.finish()
      expect(await slow.answer).toMatch(gone)
      await expectGone(circle.ingestUrl, upload!.url, content)
      await eventually(async () => (await circle.api.listFiles()).files.length === 0)
      expect(circle.heard).toEqual([])
    },
  )

  it("leaves its key to an upload that is asked for later", { timeout: 60_000 }, async () => {
    const circle = await startRestartableCircle()
    const [first, second] = [randomContent(1000), randomContent(1000)]
    const [old] = await circle.request("profiles", [{ name: "me.bin", size: 1000 }])
    await putRaw(old!.url, first)
    await eventually(() => circle.heard.length === 1)
    await circle.api.deleteFiles(old!.key)
    await sleep(2)
    const [fresh] = await circle.request("profiles", [{ name: "me.bin", size: 1000 }])
    expect(fresh!.key).toBe(old!.key)
    // As a handler signs it that says when it did.
    const issued = { ...grantOf(fresh!.url), issuedAt: Date.now() }
    const url = await signUploadUrl(circle.ingestUrl, issued, signer)
    expect((await putRaw(url, second)).status).toBe(200)
    await eventually(() => circle.heard.length === 2)
    const readable = async () => new Uint8Array(await (await fetch(`${circle.ingestUrl}/f/${old!.key}`)).arrayBuffer())
    expect(await readable()).toEqual(second)
    // The old URL neither replaces it nor is it told of it.
    expect(await toldOf(await putRaw(old!.url, first))).toMatch(gone)
    await circle.restart("kill")
    expect(await toldOf(await putRaw(old!.url, first))).toMatch(gone)
    expect(await readable()).toEqual(second)
    expect((await putRaw(url, second)).status).toBe(200)
  })

  it("stays gone when the ingest is killed among deletions", { timeout: 240_000 }, async () => {
    const circle = await startRestartableCircle()
    const count = 240
    const content = randomContent(500)
    const uploads = await circle.request(
      "notes",
      Array.from({ length: count }, (_, i) => ({ name: `${i}.bin`, size: 500 })),
    )
    for (let at = 0; at < count; at += 40) {
      const answers = await Promise.all(uploads.slice(at, at + 40).map(({ url }) => putRaw(url, content)))
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200))
    }
    const acknowledged = new Set<string>()
    let kills = 0
    for (let at = 0; at < count; at += 40) {
      const some = uploads.slice(at, at + 40)
      const before = acknowledged.size
      const deletions = some.map(async ({ key }) => {
        // Without the client's own retries: what was not answered is not known.
        const response = await fetch(`${circle.ingestUrl}/${names.path.api}/deleteFiles`, {
          method: "POST",
          headers: { "content-type": "application/json", [names.header.apiKey]: "sk_test_0123456789abcdef" },
          body: JSON.stringify({ fileKeys: [key] }),
        }).catch(() => undefined)
        if (response?.status === 200) acknowledged.add(key)
      })
      // After none, five, ten… were answered, the others under way.
      await eventually(() => acknowledged.size >= before + at / 8)
      await circle.kill()
      kills++
      await Promise.all(deletions)
      await circle.start()
    }
    expect(kills).toBe(6)
    let deleted = 0
    for (const { key, url } of uploads) {
      const read = await fetch(`${circle.ingestUrl}/f/${key}`)
      await read.arrayBuffer()
      const sent = await putRaw(url, content)
      // Either it is deleted, and then for good, or nothing has happened to it.
      expect([read.status, sent.status]).toEqual(read.status === 200 ? [200, 200] : [404, 404])
      if (read.status === 404) deleted++
      else expect(acknowledged.has(key)).toBe(false)
    }
    expect(deleted).toBeGreaterThanOrEqual(acknowledged.size)
    expect(acknowledged.size).toBeGreaterThan(0)
    expect(circle.errors()).toBe("")
  })
})

describe("a file that its app has deleted before it came", () => {
  it("is refused when it comes, and the app hears nothing of it", { timeout: 60_000 }, async () => {
    const circle = await startRestartableCircle()
    const content = randomContent(1000)
    const [expected, kept] = await circle.request("notes", [
      { name: "a.bin", size: 1000 },
      { name: "b.bin", size: 1000 },
    ])
    const signed = createGrant({ size: 1000, type: "application/octet-stream" })
    expect(await circle.api.deleteFiles([expected!.key, signed.key])).toEqual({
      success: true,
      deletedCount: 0,
      deletedKeys: [],
    })
    for (const url of [expected!.url, await sign(circle.ingestUrl, signed)]) {
      await expectGone(circle.ingestUrl, url, content)
    }
    await circle.restart("kill")
    await expectGone(circle.ingestUrl, expected!.url, content)
    expect((await putRaw(kept!.url, content)).status).toBe(200)
    await eventually(() => circle.heard.length > 0)
    expect(circle.heard).toEqual([kept!.key])
  })
})

describe("a client-side file that no app has registered", () => {
  it.each(sizes)("is read by nobody until its registration comes (%s)", { timeout: 60_000 }, async (_where, size) => {
    const circle = await startRestartableCircle({ callbackWait: 50, defaultAcl: "public-read" })
    const content = randomContent(size)
    const customId = `mine-${size}`
    const grant = createGrant({ size, type: "application/octet-stream", slug: "notes", customId })
    expect((await putRaw(await sign(circle.ingestUrl, grant), content)).status).toBe(504)
    const addresses = [`f/${grant.key}`, `a/app-1/${grant.key}`, `a/app-1/${customId}`]
    const statuses = async () =>
      Promise.all(addresses.map(async (address) => (await fetch(`${circle.ingestUrl}/${address}`)).status))
    const access = () => circle.api.getSignedURL(grant.key)
    expect(await statuses()).toEqual([404, 404, 404])
    await expect(access()).rejects.toMatchObject({ code: "NOT_FOUND" })
    await expect(circle.api.getSignedURL(customId, { keyType: "customId" })).rejects.toMatchObject({
      code: "NOT_FOUND",
    })
    // A URL that the app signs itself does not read it either.
    expect((await fetch(await circle.api.generateSignedURL(grant.key))).status).toBe(404)
    await circle.restart("kill")
    expect(await statuses()).toEqual([404, 404, 404])
    // It is there for the app to see, and to delete.
    expect((await circle.api.listFiles()).files).toMatchObject([{ key: grant.key, status: "Uploaded" }])

    const registration = { fileKeys: [grant.key], callbackUrl: circle.appUrl, callbackSlug: "notes" }
    expect((await register(circle.ingestUrl, { ...registration, awaitServerData: false })).status).toBe(200)
    expect(await statuses()).toEqual([200, 200, 200])
    expect((await fetch(await access())).status).toBe(200)
    await eventually(() => circle.heard.length === 1)
  })
})
