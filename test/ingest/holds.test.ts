import { describe, expect, it } from "vitest"
import { SluiceApi } from "../../src/api.ts"
import type { FileLabels } from "../../src/protocol/files/file-labels.ts"
import type { UploadGrant } from "../../src/protocol.ts"
import {
  answerWith,
  apiKey,
  appId,
  catalogs,
  createApp,
  eventually,
  hasByte,
  postResult,
  putRaw,
  register,
  sign,
  startApp,
  startIngest,
  token,
} from "./circle.ts"
import { labelled } from "./labelled.ts"

describe.each(catalogs)("a file that is held (%s)", (_, create) => {
  const start = async (options: Partial<Parameters<typeof startIngest>[0]> = {}) => {
    const ingest = await startIngest({ catalog: create(), defaultAcl: "public-read", sweepInterval: 20, ...options })
    const send = async (labels: FileLabels = {}, given: Partial<UploadGrant> = {}) => {
      const grant = await labelled({ hold: true, ...labels }, given)
      const url = await sign(ingest.url, grant)
      return { grant, url, answer: putRaw(url, "x".repeat(grant.size)) }
    }
    const statuses = async ({ key }: UploadGrant, customId: string) => {
      const paths = [`/f/${key}`, `/a/${appId}/${key}`, `/a/${appId}/${customId}`]
      const asked = paths.flatMap((path) => [
        fetch(`${ingest.url}${path}`),
        fetch(`${ingest.url}${path}`, { method: "HEAD" }),
        fetch(`${ingest.url}${path}`, { headers: { range: "bytes=0-1" } }),
      ])
      return [...new Set((await Promise.all(asked)).map(({ status }) => status))]
    }
    return { ingest, send, statuses, api: new SluiceApi({ token, ingestUrl: ingest.url }) }
  }

  it.each([5, 300_000])("is read at no address and with no signature until it is released: %d bytes", async (size) => {
    const { ingest, send, statuses, api } = await start()
    const { grant, answer } = await send({}, { size, customId: "avatar" })
    expect((await answer).status).toBe(200)
    expect(await statuses(grant, "avatar")).toEqual([404])
    const signed = await api.generateSignedURL(grant.key)
    expect((await fetch(signed)).status).toBe(404)
    await expect(api.getSignedURL(grant.key)).rejects.toMatchObject({ code: "NOT_FOUND" })
    await expect(api.getSignedURL("avatar", { keyType: "customId" })).rejects.toMatchObject({ code: "NOT_FOUND" })
    expect(await api.renameFiles({ key: grant.key, newName: "b.txt" })).toMatchObject({ renamedCount: 0 })
    expect(await api.updateACL(grant.key, "public-read")).toMatchObject({ updatedCount: 0 })
    expect((await api.listFiles({ status: "Held" })).files).toMatchObject([{ key: grant.key, status: "Held" }])
    expect((await api.listFiles({ status: "Uploaded" })).files).toEqual([])
    expect(await api.getUsageInfo()).toMatchObject({ totalBytes: size, filesUploaded: 1 })

    const released = { success: true, releasedCount: 1, releasedKeys: [grant.key] }
    expect(await api.releaseFiles([grant.key, `${grant.key}x`])).toEqual(released)
    expect(await statuses(grant, "avatar")).toEqual([200, 206])
    expect(await api.releaseFiles(grant.key)).toEqual({ success: true, releasedCount: 0, releasedKeys: [] })
    expect(await api.rejectFiles(grant.key)).toEqual({ success: true, rejectedCount: 0, rejectedKeys: [] })
    expect((await fetch(signed)).status).toBe(200)
    expect((await ingest.catalog.get(grant.key))?.file.hold).toBe(false)
  })

  it.each([5, 300_000])("is gone with its bytes once it is rejected, also for its own URL: %d bytes", async (size) => {
    const { ingest, send, statuses, api } = await start()
    const { grant, url, answer } = await send({}, { size, customId: "avatar", registrationId: "r1" })
    expect((await answer).status).toBe(200)
    expect(await hasByte(ingest, grant.key, 0)).toBe(size > 5)
    const rejected = { success: true, rejectedCount: 1, rejectedKeys: [grant.key] }
    expect(await api.rejectFiles(grant.key, { reason: "Not this one." })).toEqual(rejected)
    expect(await statuses(grant, "avatar")).toEqual([404])
    for (const response of [await putRaw(url, null, size), await putRaw(url, "x".repeat(size))]) {
      expect(response.status).toBe(422)
      expect(await response.json()).toMatchObject({ code: "REJECTED", detail: "Not this one." })
    }
    expect(await api.releaseFiles(grant.key)).toMatchObject({ releasedCount: 0 })
    await eventually(async () => !(await hasByte(ingest, grant.key, 0)))
    expect((await api.listFiles({ status: "Failed" })).files).toMatchObject([{ key: grant.key }])
    expect(await api.getUsageInfo()).toMatchObject({ totalBytes: 0, filesUploaded: 0 })
  })

  it("keeps its client waiting for the verdict, and then for what the app says", async () => {
    const { ingest, send, api } = await start()
    const app = await startApp(answerWith({ id: 7 }))
    const { grant, answer } = await send({}, { slug: "avatar", registrationId: "r1" })
    const isDone = answer.then(() => true)
    await register(ingest.url, { id: "r1", fileKeys: [grant.key], callbackUrl: app.url })
    await eventually(async () => (await api.listFiles({ status: "Held" })).files.length === 1)
    await postResult(ingest.url, { fileKey: grant.key, callbackData: "too early" })
    expect(await Promise.race([isDone, new Promise((resolve) => setTimeout(resolve, 300, false))])).toBe(false)
    expect(app.received).toEqual([])
    await api.releaseFiles(grant.key)
    const response = await answer
    const result = await response.json()
    expect([response.status, result]).toMatchObject([200, { key: grant.key, serverData: { id: 7 } }])
    expect(result).not.toHaveProperty("isHeld")
    expect(app.received).toHaveLength(1)
  })

  it("is refused to a client that waits, and its app is told why", async () => {
    const { ingest, send, api } = await start()
    const app = await startApp()
    const { grant, answer } = await send({}, { slug: "avatar", registrationId: "r1" })
    await register(ingest.url, { id: "r1", fileKeys: [grant.key], callbackUrl: app.url })
    await eventually(async () => (await api.listFiles({ status: "Held" })).files.length === 1)
    await api.rejectFiles(grant.key)
    const response = await answer
    expect([response.status, await response.json()]).toMatchObject([
      422,
      { code: "REJECTED", detail: "The file was rejected." },
    ])
    await app.until(1)
    expect(app.received[0]!.event).toMatchObject({
      status: "failed",
      fileKey: grant.key,
      metadata: { userId: 7 },
      error: { code: "REJECTED", message: "The file was rejected." },
    })
  })

  it("tells a client that has waited for long that it is being checked", async () => {
    const { ingest, send } = await start({ callbackWait: 50 })
    const { grant, url, answer } = await send({}, { slug: "avatar", registrationId: "r1" })
    await register(ingest.url, { id: "r1", fileKeys: [grant.key] })
    for (const response of [await answer, await putRaw(url, null, grant.size)])
      expect([response.status, await response.json()]).toMatchObject([
        504,
        { code: "CALLBACK_TIMEOUT", detail: expect.stringContaining("still being checked") },
      ])
  })

  it("keeps nobody waiting whose route waits for nothing", async () => {
    const { ingest, send, statuses, api } = await start()
    const { grant, url, answer } = await send({}, { slug: "avatar", registrationId: "r1" })
    await register(ingest.url, { id: "r1", fileKeys: [grant.key], awaitServerData: false })
    const response = await answer
    expect([response.status, await response.json()]).toMatchObject([200, { serverData: null, isHeld: true }])
    expect(await statuses(grant, "none")).toEqual([404])
    const ask = async () => (await (await putRaw(url, null, grant.size)).json()) as object
    expect(await ask()).toMatchObject({ isHeld: true })
    await api.releaseFiles(grant.key)
    expect(await ask()).not.toHaveProperty("isHeld")
  })

  it("is claimed before the verdict, and needs no claim after it", async () => {
    const { send, statuses, api } = await start()
    const { grant, answer } = await send({ claimWithin: 60_000 }, { customId: "a" })
    await answer
    expect(await api.claimFiles(grant.key)).toMatchObject({ claimedCount: 1 })
    expect(await statuses(grant, "a")).toEqual([404])
    await api.releaseFiles(grant.key)
    expect(await statuses(grant, "a")).toEqual([200, 206])
  })

  it("is judged by no other app", async () => {
    const { ingest, send, api } = await start()
    await createApp(ingest.catalog, { id: "other", keys: ["sk_other"] })
    const { grant, answer } = await send()
    await answer
    for (const operation of ["releaseFiles", "rejectFiles"]) {
      const response = await fetch(`${ingest.url}/v6/${operation}`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-sluice-api-key": "sk_other" },
        body: JSON.stringify({ fileKeys: [grant.key] }),
      })
      expect([response.status, await response.json()]).toMatchObject([200, { success: true }])
    }
    expect((await api.listFiles({ status: "Held" })).files).toHaveLength(1)
  })

  it.each<[string, object]>([
    ["no keys", { fileKeys: [] }],
    ["an empty reason", { fileKeys: ["a"], reason: "" }],
    ["a long reason", { fileKeys: ["a"], reason: "x".repeat(501) }],
  ])("is rejected with %s by nobody", async (_, body) => {
    const { ingest } = await start()
    const response = await fetch(`${ingest.url}/v6/rejectFiles`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-sluice-api-key": apiKey },
      body: JSON.stringify(body),
    })
    expect(response.status).toBe(400)
  })
})
