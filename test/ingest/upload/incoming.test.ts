import { once } from "node:events"
import { connect } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { type BlobStore, createMemoryBlobStore, createMemoryCatalog } from "../../../src/ingest.ts"
import { createGrant, eventually, putRaw, sign, startIngest } from "../circle.ts"

/** A driver that uses the memory of a chunk for something else as soon as it has taken it, as it may. */
const createReusingStore = (): { readonly store: BlobStore; readonly taken: () => number } => {
  const memory = createMemoryBlobStore()
  let taken = 0
  const store: BlobStore = {
    ...memory,
    append: (key, append) => {
      expect(append.isDisposable).toBe(true)
      async function* reuse() {
        for await (const chunk of append.body) {
          yield chunk.slice()
          taken += chunk.length
          chunk.fill(0)
        }
      }
      return memory.append(key, { ...append, body: reuse() })
    },
  }
  return { store, taken: () => taken }
}

it.each([
  ["a page", "<!doctype html><script>alert(1)</script>", "415 CONTENT_MISMATCH"],
  ["a picture", "\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0\x1f\x15\xc4\x89", "200 "],
])(
  "compares the type with the bytes that were sent, however the store uses their memory: %s as image/png",
  async (_, beginning, expected) => {
    const { store, taken } = createReusingStore()
    const { url } = await startIngest({ store, catalog: createMemoryCatalog({ largestContent: 0 }) })
    const size = 6000
    const signed = new URL(await sign(url, createGrant({ name: "a.png", size, type: "image/png" })))
    const socket = connect(Number(signed.port), signed.hostname)
    onTestFinished(() => void socket.destroy())
    await once(socket, "connect")
    socket.write(
      `PUT ${signed.pathname}${signed.search} HTTP/1.1\r\nhost: ${signed.host}\r\ncontent-type: application/octet-stream\r\ncontent-length: ${size}\r\nconnection: close\r\n\r\n`,
    )
    const first = Buffer.from(beginning, "latin1")
    socket.write(first)
    await eventually(() => taken() === first.length)
    socket.write(Buffer.alloc(size - first.length))
    let answer = ""
    for await (const chunk of socket) answer += chunk
    expect(`${answer.slice(9, 12)} ${/"code":"(\w+)"/.exec(answer)?.[1] ?? ""}`).toBe(expected)
  },
)

it("is not told that its upload has failed where a writer of another process goes on with it", async () => {
  const catalog = createMemoryCatalog({ largestContent: 0 })
  let isTakenOver = false
  const { url } = await startIngest({
    catalog: {
      ...catalog,
      fail: async (fail) => {
        if (!isTakenOver) await catalog.interrupt(fail.key)
        isTakenOver = true
        return catalog.fail(fail)
      },
    },
  })
  const page = "<!doctype html><script>alert(1)</script>"
  const grant = createGrant({ name: "a.png", size: page.length, type: "image/png" })
  const signed = await sign(url, grant)
  const put = async () => {
    const response = await putRaw(signed, page)
    return `${response.status} ${(await response.json()).code}`
  }
  expect(await put()).toBe("423 LOCKED")
  expect((await catalog.get(grant.key))?.file.status).toBe("Uploading")
  expect(await put()).toBe("415 CONTENT_MISMATCH")
  expect((await catalog.get(grant.key))?.file.status).toBe("Failed")
})
