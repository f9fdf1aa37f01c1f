import { Webhook } from "standardwebhooks"
import { describe, expect, it } from "vitest"
import { SluiceApi } from "../../../src/api.ts"
import { type Catalog, type FileEventType, fileEventTypes } from "../../../src/ingest.ts"
import { createWebhookSecret } from "../../../src/protocol/signing/webhook-secret.ts"
import {
  answerWith,
  appId,
  catalogs,
  createApp,
  createGrant,
  eventually,
  putRaw,
  register,
  sign,
  startApp,
  startIngest,
  token,
} from "../circle.ts"
import { labelled } from "../labelled.ts"

/** What an endpoint has been sent: verified, as a receiver of Standard Webhooks would. */
const verify = (received: Awaited<ReturnType<typeof startApp>>["received"], ...secrets: ReadonlyArray<string>) =>
  received.map(({ headers, body }) => {
    for (const secret of secrets) new Webhook(secret).verify(body, Object.fromEntries(headers))
    return { id: headers.get("webhook-id")!, ...(JSON.parse(body) as { type: string; timestamp: string; data: any }) }
  })

const hang = () => new Promise<Response>(() => {})

/** Makes an endpoint in a catalog, and returns its secret. */
const addEndpoint = async (
  catalog: Catalog,
  url: string,
  {
    id = "ep_1",
    events = fileEventTypes,
    app = appId,
  }: { id?: string; events?: ReadonlyArray<FileEventType>; app?: string } = {},
): Promise<string> => {
  const secret = createWebhookSecret()
  const endpoint = { id, appId: app, url, events, createdAt: Date.now(), secret }
  expect(await catalog.createEndpoint(endpoint)).toBe("created")
  return secret
}

describe.each(catalogs)("endpoints (%s)", (_, create) => {
  const upload = async (ingest: { readonly url: string }, labels: object = {}) => {
    const grant = await labelled(labels)
    const answer = await putRaw(await sign(ingest.url, grant), "hello")
    expect(answer.status).toBe(200)
    return grant
  }

  it("hear what becomes of files, signed so that any standard verifier takes it", async () => {
    const catalog = create()
    const hook = await startApp()
    const secret = await addEndpoint(catalog, hook.url)
    const ingest = await startIngest({ catalog, sweepInterval: 20 })
    const api = new SluiceApi({ token, ingestUrl: ingest.url })
    const held = await upload(ingest, { hold: true, owner: "user-7", path: "a/b.txt" })
    await hook.until(1)
    await api.releaseFiles(held.key)
    await hook.until(3)
    await api.deleteFiles(held.key)
    await hook.until(4)
    const refused = await upload(ingest, { hold: true })
    await hook.until(5)
    await api.rejectFiles(refused.key, { reason: "Too blue." })
    await hook.until(6)
    const pending = await upload(ingest, { claimWithin: 60_000, keepFor: 600 })
    await hook.until(7)
    await api.claimFiles(pending.key)
    await hook.until(9)

    const events = verify(hook.received, secret)
    expect(events.map(({ type }) => type)).toEqual([
      "file.held",
      "file.released",
      "file.uploaded",
      "file.deleted",
      "file.held",
      "file.rejected",
      "file.uploaded",
      "file.claimed",
      "file.expired",
    ])
    expect(new Set(events.map(({ id }) => id)).size).toBe(9)
    const [first, , uploaded] = events
    expect(uploaded!.data).toEqual({
      appId,
      key: held.key,
      name: "hello.txt",
      size: 5,
      type: "text/plain",
      customId: null,
      url: `${ingest.url}/f/${held.key}`,
      owner: "user-7",
      path: "a/b.txt",
      slug: null,
      status: "Uploaded",
      fileHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      uploadedAt: expect.any(Number),
      expiresAt: null,
      claimBy: null,
      error: null,
    })
    expect(first!.data).toMatchObject({ key: held.key, status: "Held" })
    expect(Math.abs(Date.parse(first!.timestamp) - Date.now())).toBeLessThan(60_000)
    expect(events[5]!.data).toMatchObject({
      key: refused.key,
      status: "Failed",
      error: { code: "REJECTED", message: "Too blue." },
    })
    expect(events[6]!.data).toMatchObject({ key: pending.key, status: "Pending", claimBy: expect.any(Number) })
    expect(events[8]!.data).toMatchObject({ key: pending.key, status: "Deleting", expiresAt: expect.any(Number) })
    for (const { headers } of hook.received) {
      expect([...headers.keys()].filter((name) => name.includes("sluice"))).toEqual([])
    }
  })

  it("hear of a page's upload beside the route's callback, without its metadata", async () => {
    const catalog = create()
    const hook = await startApp()
    const secret = await addEndpoint(catalog, hook.url, { events: ["uploaded", "failed"] })
    const ingest = await startIngest({ catalog })
    const app = await startApp(answerWith({ ok: 1 }))
    const grant = createGrant({ slug: "avatar" })
    await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url, metadata: { secret: "of the route" } })
    expect((await putRaw(await sign(ingest.url, grant), "hello")).status).toBe(200)
    await hook.until(1)
    const [event] = verify(hook.received, secret)
    expect(event).toMatchObject({ type: "file.uploaded", data: { key: grant.key, slug: "avatar" } })
    expect(hook.received[0]!.body).not.toContain("of the route")
    const broken = createGrant({ slug: "avatar" })
    await register(ingest.url, { fileKeys: [broken.key], callbackUrl: app.url })
    expect((await putRaw(await sign(ingest.url, broken), "hello, too long")).status).toBe(413)
    await hook.until(2)
    expect(verify(hook.received, secret)[1]).toMatchObject({
      type: "file.failed",
      data: { key: broken.key, error: { code: "SIZE_MISMATCH" }, fileHash: null },
    })
  })

  it("are told again until they answer, with the same id, and by both secrets while one is being replaced", async () => {
    const catalog = create()
    const answers = [500, 302, 204]
    const hook = await startApp((_received, count) => new Response(null, { status: answers[count - 1]! }))
    const first = await addEndpoint(catalog, hook.url, { events: ["uploaded"] })
    const second = createWebhookSecret()
    await catalog.addSecret({ endpointId: "ep_1", secret: second, now: Date.now() })
    const ingest = await startIngest({ catalog, callbackRetries: [10, 10, 10] })
    await upload(ingest)
    await hook.until(3)
    const events = verify(hook.received, first, second)
    expect(new Set(events.map(({ id }) => id)).size).toBe(1)
    await eventually(async () => (await catalog.findEvent(events[0]!.id))?.status === "delivered")
    expect(await catalog.listAttempts(events[0]!.id)).toMatchObject([
      { attempt: 1, status: 500, error: "The answer was 500." },
      { attempt: 2, status: 302 },
      { attempt: 3, status: 204, error: null },
    ])
    const { id } = (await catalog.listEndpoints())[0]!.secrets.find(({ secret }) => secret === first)!
    await catalog.revokeSecret({ endpointId: "ep_1", id, now: Date.now() })
    answers.push(200)
    await upload(ingest)
    await hook.until(4)
    expect(() => verify(hook.received.slice(3), second)).not.toThrow()
    expect(() => verify(hook.received.slice(3), first)).toThrow()
  })

  it("are not told again what they answer with 410, and what they never answer is given up", async () => {
    const catalog = create()
    const gone = await startApp(() => new Response(null, { status: 410 }))
    await addEndpoint(catalog, gone.url, { id: "ep_gone" })
    await addEndpoint(catalog, "http://127.0.0.1:9/", { id: "ep_nobody" })
    const silent = await startApp(hang)
    await addEndpoint(catalog, silent.url, { id: "ep_silent" })
    const ingest = await startIngest({ catalog, callbackRetries: [10], callbackTimeout: 1000 })
    await upload(ingest)
    await eventually(async () => (await catalog.countEvents(10)).dead === 3)
    const events = await catalog.listEvents({ limit: 10 })
    expect(Object.fromEntries(events.map(({ endpointId, attempts }) => [endpointId, attempts]))).toEqual({
      ep_gone: 1,
      ep_nobody: 2,
      ep_silent: 2,
    })
  })

  it("do not wait for one that hangs, and neither do callbacks", async () => {
    const catalog = create()
    const [hung, hook, app] = [await startApp(hang), await startApp(), await startApp(answerWith({ ok: 1 }))]
    await addEndpoint(catalog, hung.url, { id: "ep_hung" })
    await addEndpoint(catalog, hook.url, { id: "ep_fine" })
    const ingest = await startIngest({ catalog, maxConcurrentCallbacks: 16 })
    for (let i = 0; i < 40; i++) {
      const grant = createGrant({ slug: "avatar" })
      await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url })
      const answer = await putRaw(await sign(ingest.url, grant), "hello")
      expect(await answer.json()).toMatchObject({ serverData: { ok: 1 } })
    }
    await hook.until(40)
    expect(hung.received.length).toBeLessThanOrEqual(4)
  })

  it("of another app than the ingest's own are called on the public Internet only", async () => {
    const catalog = create()
    const hook = await startApp()
    await createApp(catalog, { id: "tenant", keys: ["sk_tenant_0123456789abcdef"] })
    await addEndpoint(catalog, hook.url, { app: "tenant", id: "ep_1" })
    await catalog.addTestEvent({ id: "evt_test", endpointId: "ep_1", now: Date.now() })
    await startIngest({ catalog, callbackRetries: [] })
    await eventually(async () => (await catalog.findEvent("evt_test"))?.status === "dead")
    expect((await catalog.listAttempts("evt_test"))[0]!.error).toContain("It was not sent")
    expect(hook.received).toEqual([])
    await catalog.redeliverEvent({ id: "evt_test", now: Date.now() })
    await startIngest({ catalog, callbackNetworks: "any" })
    await hook.until(1)
    expect(JSON.parse(hook.received[0]!.body)).toMatchObject({ type: "endpoint.test", data: { appId: "tenant" } })
  })

  it("do not wait for one whose name is never found, and neither do callbacks of their app", async () => {
    const catalog = create()
    await createApp(catalog, { id: "tenant", keys: ["sk_tenant_0123456789abcdef"] })
    const asked: Array<string> = []
    for (const [id, host] of Object.entries({ ep_1: "hangs.example.com", ep_2: "fine.example.com" })) {
      await addEndpoint(catalog, `http://${host}/`, { app: "tenant", id })
      await catalog.addTestEvent({ id: `evt_${id}`, endpointId: id, now: Date.now() })
    }
    await startIngest({
      catalog,
      callbackRetries: [],
      resolveHost: async (host) => {
        asked.push(host)
        return host.startsWith("hangs") ? new Promise(() => {}) : [{ address: "127.0.0.1", family: 4 }]
      },
    })
    await eventually(async () => (await catalog.findEvent("evt_ep_2"))?.status === "dead")
    expect(asked.toSorted()).toEqual(["fine.example.com", "hangs.example.com"])
    expect((await catalog.listAttempts("evt_ep_2"))[0]!.error).toContain("no public address")
    expect(await catalog.findEvent("evt_ep_1")).toMatchObject({ status: "pending" })
  })

  it("are never named with their secret in the log", async () => {
    const catalog = create()
    const lines: Array<string> = []
    const secret = createWebhookSecret()
    const hook = await startApp(() => new Response(`no: ${secret}`, { status: 500 }))
    const endpoint = { id: "ep_1", appId, url: hook.url, events: fileEventTypes, createdAt: 1, secret }
    await catalog.createEndpoint(endpoint)
    const { log, warn, error, debug, info } = console
    const keep = (...given: ReadonlyArray<unknown>) => void lines.push(given.map(String).join(" "))
    Object.assign(console, { log: keep, warn: keep, error: keep, debug: keep, info: keep })
    try {
      const ingest = await startIngest({ catalog, callbackRetries: [], logLevel: "Trace" })
      await upload(ingest)
      await eventually(async () => (await catalog.countEvents(10)).dead === 1)
      await eventually(() => lines.some((line) => line.includes("An event did not reach an endpoint.")))
    } finally {
      Object.assign(console, { log, warn, error, debug, info })
    }
    const [event] = await catalog.listEvents({ limit: 1 })
    expect(lines.join("\n") + JSON.stringify(await catalog.listAttempts(event!.id))).not.toContain(secret.slice(6, 30))
  })
})
