import { createHash, randomBytes } from "node:crypto"
import { setTimeout } from "node:timers/promises"
import { expect, test } from "vitest"
import { requestByNode } from "../../src/http/node-request.ts"
import { markDisposable } from "../../src/protocol/disposable-stream.ts"
import { listen } from "../ingest/circle.ts"

const mebibyte = 1024 ** 2

/** Pieces with memory of their own, and what they hold as a whole. */
const createBody = (count: number) => {
  const pieces = Array.from({ length: count }, () => new Uint8Array(randomBytes(mebibyte)))
  const hash = createHash("sha256")
  for (const piece of pieces) hash.update(piece)
  const given: Array<Uint8Array> = []
  async function* give() {
    for (const piece of pieces) {
      given.push(piece)
      yield piece
    }
  }
  return { given, body: give(), sha256: hash.digest("hex") }
}

const hashSlowly = () => {
  const hashed = Promise.withResolvers<string>()
  const url = listen(async (req, res) => {
    const hash = createHash("sha256")
    for await (const chunk of req) {
      hash.update(chunk as Buffer)
      if (Math.random() < 0.2) await setTimeout(1)
    }
    hashed.resolve(hash.digest("hex"))
    res.end()
  })
  return { url, hashed: hashed.promise }
}

const ownsMemory = (pieces: ReadonlyArray<Uint8Array>) => pieces.filter(({ byteLength }) => byteLength > 0).length

test.each([true, false])(
  "a body arrives as it was given; its pieces are freed where nobody else has them (%s)",
  async (isOwn) => {
    const { given, body, sha256 } = createBody(20)
    const { url, hashed } = hashSlowly()
    await requestByNode({
      url: new URL(await url),
      method: "PUT",
      headers: { "content-length": `${20 * mebibyte}` },
      body: isOwn ? markDisposable(body) : body,
      agent: false,
    })
    expect(await hashed).toBe(sha256)
    expect(given).toHaveLength(20)
    expect(ownsMemory(given)).toBe(isOwn ? 0 : 20)
  },
)

test("a piece that the server has not taken is not freed while it waits, nor is anything lost when the request ends", async () => {
  const { given, body } = createBody(64)
  const stop = new AbortController()
  const url = await listen((req) => void req.once("readable", () => {}))
  const asked = requestByNode({
    url: new URL(url),
    method: "PUT",
    headers: { "content-length": `${64 * mebibyte}` },
    body: markDisposable(body),
    agent: false,
    signal: stop.signal,
  })
  await setTimeout(200)
  expect(ownsMemory(given)).toBeGreaterThan(0)
  stop.abort()
  await expect(asked).rejects.toThrow(/abort/i)
  expect(given.length).toBeLessThan(64)
})
