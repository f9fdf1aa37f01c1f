import { stat } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { createFileKey } from "../../src/protocol.ts"
import { createGrant, encodedAppId, postResult, putRaw, register, sign, startIngest } from "../ingest/circle.ts"
import { startRestartableCircle } from "./restartable-circle.ts"

const keys = (count: number) => Array.from({ length: count }, () => createFileKey(encodedAppId))
const codeOf = async (response: Response): Promise<string> => `${response.status} ${(await response.json()).code ?? ""}`

describe("an app that only registers", () => {
  it("cannot make the catalog larger than its quota allows", { timeout: 120_000 }, async () => {
    const circle = await startRestartableCircle({ quota: 1_000_000 })
    const metadata = "x".repeat(64 * 1024 - 2)
    const codes: Record<string, number> = {}
    for (let round = 0; round < 90; round++) {
      const some = Array.from({ length: 10 }, () => register(circle.ingestUrl, { fileKeys: keys(1), metadata }))
      for (const answer of await Promise.all(some)) {
        const code = await codeOf(answer)
        codes[code] = (codes[code] ?? 0) + 1
      }
    }
    expect(Object.keys(codes).sort()).toEqual(["200 ", "507 QUOTA_EXCEEDED"])
    expect(codes["200 "]).toBeLessThan(256)
    await circle.stop()
    expect((await stat(join(circle.data, "catalog.sqlite"))).size).toBeLessThan(24 * 1024 * 1024)
  })

  it("is told when too many files are announced, and has room again when they arrive", async () => {
    const { url } = await startIngest({ maxExpectedFiles: 1000 })
    const grants = Array.from({ length: 1000 }, () => createGrant({ slug: "avatar" }))
    const fileKeys = grants.map(({ key }) => key)
    const all = { fileKeys, awaitServerData: false }
    expect((await register(url, all)).status).toBe(200)
    const refused = await register(url, { fileKeys: keys(1) })
    expect([refused.headers.get("retry-after"), await codeOf(refused)]).toEqual(["60", "429 RATE_LIMITED"])
    // The same registration again gets the same answer.
    expect((await register(url, all)).status).toBe(200)
    expect((await putRaw(await sign(url, grants[0]!), "hello")).status).toBe(200)
    expect((await register(url, { fileKeys: keys(1) })).status).toBe(200)
  })

  it("has a burst of ten thousand files taken as it is set up", { timeout: 60_000 }, async () => {
    const { url } = await startIngest({ quota: 1_000_000_000 })
    for (let user = 0; user < 10; user++) {
      const some = Array.from({ length: 10 }, () => register(url, { fileKeys: keys(100), metadata: { userId: user } }))
      for (const { status } of await Promise.all(some)) expect(status).toBe(200)
    }
  })

  it("cannot send addresses, slugs, errors or names without bounds", async () => {
    const { url, catalog } = await startIngest()
    const far = `http://app.example/${"x".repeat(2048)}`
    expect(await codeOf(await register(url, { fileKeys: keys(1), callbackUrl: far }))).toBe("400 BAD_REQUEST")
    expect(await codeOf(await register(url, { fileKeys: keys(1), callbackSlug: "s".repeat(257) }))).toBe(
      "400 BAD_REQUEST",
    )
    expect(await codeOf(await register(url, { fileKeys: keys(1001) }))).toBe("400 BAD_REQUEST")
    for (const grant of [{ name: "é".repeat(513) }, { type: `a/${"b".repeat(255)}` }, { customId: "c".repeat(513) }]) {
      expect(await codeOf(await putRaw(await sign(url, createGrant(grant)), "hello"))).toBe("400 BAD_REQUEST")
    }
    const grant = createGrant()
    expect((await putRaw(await sign(url, grant), "hello")).status).toBe(200)
    expect((await postResult(url, { fileKey: grant.key, error: "e".repeat(900_000) })).status).toBe(200)
    expect((await catalog.get(grant.key))?.result).toEqual({ error: "e".repeat(4096) })
  })
})
