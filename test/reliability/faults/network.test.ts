import { once } from "node:events"
import { describe, expect, it } from "vitest"
import type { IngestOptions } from "../../../src/ingest.ts"
import { answerWith, putRaw, startApp } from "../../ingest/circle.ts"
import { codeOf, goOn, grantFile, sizes, startBody, startIngestOnDisk, statusOf } from "./ingest-on-disk.ts"

const start = async (size: number, options: Partial<IngestOptions> = {}) => {
  const ingest = await startIngestOnDisk(options)
  const app = await startApp(answerWith({ saved: true }))
  return { ingest, app, file: await grantFile(ingest.url, size, app.url) }
}

describe.each(sizes)("a %s file", (_name, size) => {
  const half = size / 2

  it("goes on after the connection was closed in mid-body", async () => {
    const { app, file } = await start(size)
    const socket = await startBody(file, half)
    socket.end()
    // The ingest has kept what came before it lets the connection go.
    await once(socket, "close")
    const { offset, serverData } = await goOn(file)
    expect(offset).toBe(half)
    expect(serverData).toEqual({ saved: true })
    expect(app.received).toHaveLength(1)
  })

  it("goes on after the connection was reset in mid-body", async () => {
    const { app, file } = await start(size)
    const socket = await startBody(file, half)
    socket.resetAndDestroy()
    const { offset } = await goOn(file)
    expect(offset).toBeLessThanOrEqual(half)
    expect(app.received).toHaveLength(1)
  })

  it("goes on with a new request while the old one says nothing", async () => {
    const { app, file } = await start(size)
    const socket = await startBody(file, half)
    const status = statusOf(socket)
    const { offset } = await goOn(file)
    expect(offset).toBeLessThanOrEqual(half)
    expect(await status).toBe("HTTP/1.1 423 Locked")
    expect(app.received).toHaveLength(1)
  })

  it("is cut off when its client sends nothing for too long, and goes on where it was", async () => {
    const { app, file } = await start(size, { minimumRate: 1024 ** 2, minimumRateWindow: 100 })
    const socket = await startBody(file, half)
    expect(await statusOf(socket)).toBe("HTTP/1.1 409 Conflict")
    const { offset } = await goOn(file)
    expect(offset).toBe(half)
    expect(app.received).toHaveLength(1)
  })

  it("is stored once when it is sent twice at once", async () => {
    const { app, file } = await start(size)
    const answers = await Promise.all([1, 2, 3].map(() => putRaw(file.signed, file.content)))
    const codes = await Promise.all(answers.map(codeOf))
    for (const code of codes) expect(code).toMatch(/^(200|423 LOCKED|409 RANGE_MISMATCH)$/)
    const { serverData } = await goOn(file)
    expect(serverData).toEqual({ saved: true })
    expect(app.received).toHaveLength(1)
  })

  it("gives its answer again when it is sent again, and calls nobody back", async () => {
    const { app, file } = await start(size)
    const first = await (await putRaw(file.signed, file.content)).json()
    expect(await (await putRaw(file.signed, file.content)).json()).toEqual(first)
    expect(await (await putRaw(file.signed, null, size)).json()).toEqual(first)
    expect(app.received).toHaveLength(1)
  })

  it("belongs to the newest of two writers; the older one is told", async () => {
    const { file } = await start(size)
    const older = await startBody(file, half)
    const status = statusOf(older)
    const answer = await codeOf(await putRaw(file.signed, file.content))
    expect(answer).toMatch(/^(200|409 RANGE_MISMATCH)$/)
    expect(await status).toBe("HTTP/1.1 423 Locked")
    older.write(file.content.subarray(half))
    await goOn(file)
  })
})
