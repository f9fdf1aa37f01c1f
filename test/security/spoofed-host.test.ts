import { describe, expect, test, vi } from "vitest"
import { sendRaw, startCountingApp, startRecorder } from "./production-app.ts"
import { startRealIngest } from "./running-ingest.ts"

const body = JSON.stringify({ files: [{ name: "a.bin", size: 5, type: "application/octet-stream" }] })
const path = "/api/sluice?actionType=upload&slug=avatar"
const json = "content-type: application/json"

/** Uploads the file that a handler has signed; what the app must do after it is its own. */
const finish = async (answer: string): Promise<void> => {
  const [{ url }] = JSON.parse(answer) as [{ url: string }]
  const put = await fetch(url, {
    method: "PUT",
    body: "hello",
    headers: { "content-type": "application/octet-stream" },
  })
  expect(put.status).toBe(200)
}

const frameworks = ["node", "express", "express4"] as const

describe.each(frameworks)("a production app on %s whose Host header is spoofed", (framework) => {
  const start = async (settings: (app: { attacker: string }) => Record<string, string> = () => ({})) => {
    const ingest = await startRealIngest()
    const attacker = await startRecorder()
    const host = new URL(attacker.origin).host
    const app = await startCountingApp(framework, {
      NODE_ENV: "production",
      SLUICE_TOKEN: ingest.token,
      SLUICE_INGEST_URL: ingest.url,
      ...settings({ attacker: host }),
    })
    return { app, attacker, attackerHost: host, host: new URL(app.origin).host }
  }

  test("sends nobody a signed body while nothing says where callbacks go: it signs no URL and its log says what to set", async () => {
    const { app, attacker, attackerHost, host } = await start()
    for (const spoofed of [attackerHost, host, "localhost", "app.example"]) {
      const answer = await sendRaw(app.origin, [`POST ${path} HTTP/1.1`, `host: ${spoofed}`, json], body)
      expect(answer.status, spoofed).toBe(500)
      expect(answer.body).toContain("INVALID_CONFIG")
      expect(answer.body).not.toMatch(/SLUICE_/)
      expect(answer.body).not.toContain("signature=")
    }
    const absolute = [`POST http://${attackerHost}${path} HTTP/1.1`, `host: ${host}`, json]
    expect((await sendRaw(app.origin, absolute, body)).status).toBe(500)
    await vi.waitFor(() => expect(app.output()).toMatch(/SLUICE_CALLBACK_URL.*SLUICE_ALLOWED_HOSTS/))
    expect(await app.counts()).toEqual({})
    expect(attacker.received).toEqual([])
  })

  test("refuses every host that is not in its list, forwarded ones too, and takes those that are", async () => {
    const { app, attacker, attackerHost, host } = await start(() => ({
      SLUICE_ALLOWED_HOSTS: "app.example, *.app.example:8443",
      SLUICE_TRUST_PROXY: "true",
    }))
    const ask = (...lines: ReadonlyArray<string>) => sendRaw(app.origin, [...lines, json], body)
    const post = `POST ${path} HTTP/1.1`
    for (const lines of [
      [post, `host: ${attackerHost}`],
      [post, `host: ${host}`],
      [post, "host: app.example.attacker.test"],
      [post, "host: app.example:8443"],
      [post, "host: app.example", `x-forwarded-host: ${attackerHost}`],
      [post, "host: app.example", `x-forwarded-host: ${attackerHost}, app.example`],
      [post, "host: app.example", `x-forwarded-host: app.example@${attackerHost}`],
      [post, "host: app.example", `x-forwarded-host: ${attackerHost}`, "x-forwarded-host: app.example"],
      [`POST http://${attackerHost}${path} HTTP/1.1`, "host: app.example"],
    ]) {
      const answer = await ask(...lines)
      expect([lines, answer.status, answer.body]).toEqual([lines, 403, expect.stringContaining("FORBIDDEN")])
    }
    expect(await app.counts()).toEqual({})
    for (const lines of [
      [post, "host: APP.example"],
      [post, "host: a.app.example:8443"],
      [post, `host: ${attackerHost}`, "x-forwarded-host: app.example"],
    ]) {
      expect([lines, (await ask(...lines)).status]).toEqual([lines, 200])
    }
    expect(await app.counts()).toEqual({ "avatar middleware": 3 })
    expect(attacker.received).toEqual([])
  })

  test("is called back where its list says that it is", async () => {
    const { app, host } = await start(() => ({ SLUICE_ALLOWED_HOSTS: "127.0.0.1:*" }))
    await finish((await sendRaw(app.origin, [`POST ${path} HTTP/1.1`, `host: ${host}`, json], body)).body)
    await vi.waitFor(async () => expect(await app.counts()).toMatchObject({ "avatar complete": 1 }), 10_000)
  })

  test("is called back where it is configured to be, whatever host it is called", async () => {
    const front = await startRecorder()
    const { app, attacker, attackerHost } = await start(() => ({
      SLUICE_CALLBACK_URL: `${front.origin}/api/sluice`,
      SLUICE_TRUST_PROXY: "true",
    }))
    const spoofed = [`host: ${attackerHost}`, `x-forwarded-host: ${attackerHost}`]
    await finish((await sendRaw(app.origin, [`POST ${path} HTTP/1.1`, ...spoofed, json], body)).body)
    await vi.waitFor(() => expect(front.received).toHaveLength(1), 10_000)
    expect(attacker.received).toEqual([])
  })
})

test("an app that says nothing of production or development believes no Host but its own machine's", async () => {
  const ingest = await startRealIngest()
  const app = await startCountingApp("node", { SLUICE_TOKEN: ingest.token, SLUICE_INGEST_URL: ingest.url })
  const ask = (host: string) => sendRaw(app.origin, [`POST ${path} HTTP/1.1`, `host: ${host}`, json], body)
  const refused = await ask("attacker.test")
  expect([refused.status, refused.body]).toEqual([500, expect.stringContaining("INVALID_CONFIG")])
  expect(refused.body).not.toMatch(/SLUICE_|attacker/)
  await finish((await ask(new URL(app.origin).host)).body)
  await vi.waitFor(async () => expect(await app.counts()).toMatchObject({ "avatar complete": 1 }), 10_000)
})
