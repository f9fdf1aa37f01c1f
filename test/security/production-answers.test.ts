import { describe, expect, it, vi } from "vitest"
import { encodeToken } from "../../src/protocol.ts"
import { sendRaw, startCountingApp } from "./production-app.ts"

const path = "/api/sluice?actionType=upload&slug=avatar"
const body = JSON.stringify({ files: [{ name: "a.bin", size: 5, type: "application/octet-stream" }] })
const json = "content-type: application/json"
const token = encodeToken({ apiKey: "sk_production", appId: "p", regions: ["local"], ingestUrl: "http://127.0.0.1:4" })

const upload = (origin: string, host: string) => sendRaw(origin, [`POST ${path} HTTP/1.1`, `host: ${host}`, json], body)

describe("an app that is not set up right", () => {
  const faults = [
    [
      "no token",
      "MISSING_TOKEN",
      { SLUICE_ALLOWED_HOSTS: "app.example" },
      /SLUICE_TOKEN.*the file `token` in its data folder/,
    ],
    ["a token that is none", "INVALID_TOKEN", { SLUICE_TOKEN: "nonsense" }, /token is not base64/],
    [
      "a callback URL that is none",
      "INVALID_CONFIG",
      { SLUICE_TOKEN: token, SLUICE_CALLBACK_URL: "app.example/api" },
      /SLUICE_CALLBACK_URL is \W*app\.example\/api/,
    ],
    [
      "hosts that are none",
      "INVALID_CONFIG",
      { SLUICE_TOKEN: token, SLUICE_ALLOWED_HOSTS: "https://a.example/" },
      /SLUICE_ALLOWED_HOSTS is/,
    ],
    ["no hosts", "INVALID_CONFIG", { SLUICE_TOKEN: token }, /SLUICE_CALLBACK_URL.*SLUICE_ALLOWED_HOSTS/],
  ] as const

  it.each(faults)(
    "tells strangers the code alone in production, and its log what to do: %s",
    async (_, code, env, told) => {
      const app = await startCountingApp("express", { NODE_ENV: "production", ...env })
      const answer = await upload(app.origin, "app.example")
      expect(answer.status).toBe(500)
      expect(JSON.parse(answer.body)).toMatchObject({
        code,
        detail: "Uploads are not set up here. The server's log says more.",
      })
      expect(answer.body).not.toMatch(/SLUICE_|nonsense|a\.example|trustProxy|data folder/)
      await vi.waitFor(() => expect(app.output()).toMatch(told))
    },
  )

  it.each(faults.filter(([, , env]) => Object.keys(env).length > 0))(
    "says all of it in the answer in development: %s",
    async (what, code, env, told) => {
      const app = await startCountingApp("node", { NODE_ENV: "development", ...env })
      const answer = await upload(app.origin, new URL(app.origin).host)
      // There every host is believed.
      if (what === "no hosts") return expect(answer.status).toBe(200)
      expect(JSON.parse(answer.body)).toMatchObject({ code, detail: expect.stringMatching(told) })
    },
  )
})

describe("a host that is not among the allowed ones", () => {
  const start = () =>
    startCountingApp("node", { NODE_ENV: "production", SLUICE_TOKEN: token, SLUICE_ALLOWED_HOSTS: "app.example" })

  it("is in the app's log as a warning with what to set, once, and the client is told no more than the host", async () => {
    const app = await start()
    for (let i = 0; i < 3; i++) {
      const { status, body } = await upload(app.origin, "app.example:8443")
      expect([status, JSON.parse(body).code]).toEqual([403, "FORBIDDEN"])
      expect(body).not.toMatch(/SLUICE_|trustProxy|allowed hosts/)
    }
    const behind = [`POST ${path} HTTP/1.1`, "host: internal", "x-forwarded-host: app.example", json]
    expect((await sendRaw(app.origin, behind, body)).status).toBe(403)
    await vi.waitFor(() => expect(app.output()).toContain("SLUICE_TRUST_PROXY"))
    const lines = app
      .output()
      .split("\n")
      .filter((line) => line.includes("An upload was refused."))
    expect(lines).toHaveLength(2)
    expect(JSON.parse(lines[0]!)).toMatchObject({
      level: "warning",
      message: expect.stringMatching(/app\.example:8443, which is not among the allowed hosts.*SLUICE_ALLOWED_HOSTS/),
    })
  })

  it("writes no more than a hundred lines whatever it is called, and none that is long", async () => {
    const app = await start()
    for (let i = 0; i < 150; i++) await upload(app.origin, `h${i}.${"x".repeat(i % 2 === 0 ? 2_000 : 1)}.test`)
    await upload(app.origin, "last.test")
    const lines = app
      .output()
      .split("\n")
      .filter((line) => line.includes("An upload was refused."))
    expect(lines.length).toBeGreaterThan(50)
    expect(lines.length).toBeLessThanOrEqual(100)
    for (const line of lines) expect(line.length).toBeLessThan(1_000)
  })
})
