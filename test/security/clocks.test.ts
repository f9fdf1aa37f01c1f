import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { names, signUploadUrl } from "../../src/protocol.ts"
import { createGrant, eventually, putRaw, randomContent, register, signer, startIngest } from "../ingest/circle.ts"
import { apiKey } from "../ingest/circle.ts"
import { startRestartableCircle } from "./restartable-circle.ts"

const minute = 60_000
const day = 24 * 60 * minute

/** Sets the clock of this process, and so of the app, which is not the ingest's. */
const shiftClock = (ms: number): void => {
  vi.setSystemTime(Math.round(performance.timeOrigin + performance.now()) + ms)
}

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"] })
  onTestFinished(() => void vi.useRealTimers())
})

const toldOf = async (response: Response): Promise<string> => {
  const { code, detail } = (await response.json()) as { readonly code: string; readonly detail: string }
  return `${response.status} ${code} ${detail}`
}

describe("an app whose clock is ahead of the ingest's", () => {
  it("does not get a deleted file back by a URL that was signed before the deletion and not used", async () => {
    shiftClock(4 * minute)
    const circle = await startRestartableCircle()
    const content = randomContent(1000)
    const ask = async (later: number) => {
      shiftClock(4 * minute + later)
      return (await circle.request("profiles", [{ name: "me.bin", size: 1000 }]))[0]!
    }
    const used = await ask(0)
    const kept = await ask(10)
    expect(kept.key).toBe(used.key)
    expect((await putRaw(used.url, content)).status).toBe(200)
    await circle.api.deleteFiles(used.key)
    const read = () => fetch(`${circle.ingestUrl}/f/${used.key}`)

    const expectRefused = async (): Promise<void> => {
      expect(await toldOf(await putRaw(kept.url, content))).toMatch(
        /^503 INGEST_UNAVAILABLE .*was deleted.*registered it\.$/,
      )
      expect((await fetch(kept.url, { method: "HEAD" })).status).toBe(503)
      expect((await fetch(used.url, { method: "HEAD" })).status).toBe(404)
      expect(await toldOf(await putRaw(used.url, content))).toMatch(/^404 NOT_FOUND .*Do not send it again\.$/)
      await expect(circle.renew("profiles", kept.url)).rejects.toThrow("404")
    }
    await expectRefused()
    await circle.restart("kill")
    await expectRefused()
    expect((await read()).status).toBe(404)
    expect((await circle.api.listFiles()).files.filter(({ status }) => status !== "Deleting")).toEqual([])

    const other = randomContent(1000)
    const fresh = await ask(20)
    expect(fresh.key).toBe(used.key)
    expect((await putRaw(fresh.url, other)).status).toBe(200)
    await expectRefused()
    expect(new Uint8Array(await (await read()).arrayBuffer())).toEqual(other)
    expect((await putRaw(fresh.url, other)).status).toBe(200)
  }, 60_000)

  it("is told so where it is too far ahead, and nothing is stored", async () => {
    const circle = await startRestartableCircle()
    const content = randomContent(10)
    const ask = async (ahead: number) => {
      shiftClock(ahead)
      return (await circle.request("notes", [{ name: "a.bin", size: 10 }]))[0]!.url
    }
    const ahead = await ask(6 * minute)
    expect(await toldOf(await putRaw(ahead, content))).toMatch(
      /^403 FORBIDDEN .*"a\.bin".* was issued 3\d\d s from now; at most 300 s .*clock of the app is ahead/,
    )
    expect((await fetch(ahead, { method: "HEAD" })).status).toBe(403)
    const decades = await signUploadUrl(
      circle.ingestUrl,
      createGrant({ slug: "notes", registrationId: "x", issuedAt: Date.now() + 20_000 * day }),
      signer,
    )
    expect((await putRaw(decades, "hello")).status).toBe(403)
    expect((await circle.api.listFiles()).files).toEqual([])
    expect((await putRaw(await ask(4 * minute), content)).status).toBe(200)
  }, 60_000)
})

describe("a time that an app names", () => {
  it("keeps an unfinished upload no longer than its URL counts", async () => {
    const sevenDays = 7 * day
    const circle = await startRestartableCircle({ unfinishedTtl: 50 })
    shiftClock(0)
    const grant = createGrant({
      size: 10,
      slug: "notes",
      registrationId: "x",
      issuedAt: Date.now() - sevenDays + 2000,
      expires: Date.now() + 1000 * day,
    })
    await register(circle.ingestUrl, { id: "x", fileKeys: [grant.key], expires: grant.expires })
    const url = await signUploadUrl(circle.ingestUrl, grant, signer)
    expect((await putRaw(url, "hello")).status).toBe(409)
    expect((await circle.api.listFiles()).files).toMatchObject([{ status: "Uploading" }])
    await eventually(async () => (await circle.api.listFiles()).files[0]?.status === "Failed")
  }, 60_000)

  it("keeps what was registered for a month at most", async () => {
    const { url } = await startIngest({ sweepInterval: 10 })
    const { key } = createGrant()
    const isKnown = async () => {
      const response = await fetch(`${url}/${names.path.registrations}`, {
        method: "POST",
        headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
        body: JSON.stringify({ files: [{ key, id: "x" }] }),
      })
      return response.status === 200
    }
    const start = Date.now()
    await register(url, { id: "x", fileKeys: [key], expires: start + 10_000 * day })
    vi.setSystemTime(start + 30 * day)
    expect(await isKnown()).toBe(true)
    vi.setSystemTime(start + 31 * day + 1000)
    await eventually(async () => !(await isKnown()))
  })
})
