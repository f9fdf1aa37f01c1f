import type { RequestListener, ServerResponse } from "node:http"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import type { UploadSource } from "../../../src/api/upload-source.ts"
import { randomContent } from "../../ingest/circle.ts"
import { local, open, readAll, sendBytes, startSource } from "./source.ts"

const bytes = randomContent(500_000)
const offset = 200_000
const date = "Sat, 01 Jan 2022 00:00:00 GMT"

const expectRest = async (source: UploadSource, start = offset) =>
  expect(Buffer.compare(await readAll(source, start), bytes.subarray(start))).toBe(0)

/** A source whose first request is answered in full, and the others as given. */
const startThen = (first: Record<string, string>, then: RequestListener) => {
  let isFirst = true
  return startSource((request, response) => {
    if (!isFirst) return then(request, response)
    isFirst = false
    sendBytes(request, response, bytes, first)
  })
}

/** An answer with its length, whatever was asked for. */
const answer = (status: number, headers: Record<string, string>, body: string | Uint8Array): RequestListener => {
  const length = { "content-length": Buffer.byteLength(body) }
  return (_, response) => response.writeHead(status, { ...length, ...headers }).end(body)
}

/** Sends so much, and hangs up. */
const sendPiece = (response: ServerResponse, piece: Uint8Array): void =>
  void response.write(piece, () => response.destroy())

describe("going on at an offset", () => {
  it.each<[string, Record<string, string>, string]>([
    ["a strong ETag", { etag: '"v1"' }, '"v1"'],
    ["a strong ETag rather than a date", { etag: '"v1"', "last-modified": date }, '"v1"'],
    ["a date", { "last-modified": date }, date],
    ["a date rather than a weak ETag", { etag: 'W/"v1"', "last-modified": date }, date],
  ])("asks for the rest by %s", async (_, headers, ifRange) => {
    const { url, requests } = await startThen(headers, (request, response) => {
      response.writeHead(206, { ...headers, "content-range": `bytes ${offset}-499999/500000` })
      response.end(bytes.subarray(offset))
    })
    const source = await open({ url, headers: { "x-own": "1", range: "bytes=1-2" } })
    await expectRest(source)
    expect(requests[0]!.headers).not.toHaveProperty("range")
    expect(requests[1]!.headers).toMatchObject({ range: "bytes=200000-", "if-range": ifRange, "x-own": "1" })
    await source.close!()
  })

  it("asks for all of it again at the start, and takes the first answer but once", async () => {
    const { url, requests } = await startSource((request, response) => sendBytes(request, response, bytes, {}))
    const source = await open(url)
    await expectRest(source, 0)
    await expectRest(source, 0)
    expect(requests.map(({ headers }) => headers.range)).toEqual([undefined, undefined])
    await source.close!()
  })

  it("asks for nothing at the end", async () => {
    const { url, requests } = await startSource((request, response) => sendBytes(request, response, bytes))
    const source = await open(url)
    expect((await source.slice(bytes.length)) as Blob).toMatchObject({ size: 0 })
    expect(requests).toHaveLength(1)
    await source.close!()
  })

  it("leaves out what it has, where a server sends all of the same file again", async () => {
    for (const headers of [{ etag: '"v1"' }, { "last-modified": date }]) {
      const { url } = await startSource(answer(200, headers, bytes))
      const source = await open(url)
      await expectRest(source)
      await source.close!()
    }
  })

  it("follows redirects again", async () => {
    const target = await startSource((request, response) => sendBytes(request, response, bytes))
    const { url, requests } = await startSource((_, response) =>
      response.writeHead(302, { location: `${target.url}/${requests.length}` }).end(),
    )
    const source = await open(url)
    await expectRest(source)
    expect(target.requests.map((request) => request.url)).toEqual(["/1", "/2"])
    await source.close!()
  })
})

describe("a file that changed in between", () => {
  const other = randomContent(500_000)
  const rest = other.subarray(offset)
  const range = { "content-range": `bytes ${offset}-499999/500000` }
  it.each<[string, RequestListener]>([
    ["all of it, with another ETag", answer(200, { etag: '"v2"' }, other)],
    ["all of it, without an ETag", answer(200, {}, other)],
    ["all of it, with a weak ETag", answer(200, { etag: 'W/"v1"' }, other)],
    ["all of it, of another size", answer(200, { etag: '"v1"' }, "short")],
    [
      "all of it, without a length",
      (_, response) => {
        response.writeHead(200, { etag: '"v1"' }).write("a")
        response.end(other)
      },
    ],
    ["all of it, compressed", answer(200, { etag: '"v1"', "content-encoding": "gzip" }, other)],
    ["a part with another ETag", answer(206, { etag: '"v2"', ...range }, rest)],
    ["a part with another date", answer(206, { "last-modified": date, ...range }, rest)],
    ["a part of another size", answer(206, { "content-range": `bytes ${offset}-499999/500001` }, rest)],
    ["a part that begins elsewhere", answer(206, { "content-range": "bytes 100000-399999/500000" }, rest)],
    ["a part that does not say which", answer(206, { etag: '"v1"' }, rest)],
    ["that there is no such part", answer(416, { "content-range": "bytes */1000" }, "")],
  ])("is an error: %s", async (_, answer) => {
    const first = { etag: '"v1"', "last-modified": new Date(Date.parse(date) - 5000).toUTCString() }
    const { url } = await startThen(first, answer)
    const source = await open(`${url}/a?token=s3cret`)
    const error = await readAll(source, offset).catch((error: unknown) => error)
    expect(error).toMatchObject({
      code: "DIGEST_MISMATCH",
      message: `${url}/a changed while it was being copied. Upload it again.`,
    })
    await source.close!()
  })

  it.each<[string, Record<string, string>]>([
    ["says nothing by which to know", {}],
    ["has but a weak ETag", { etag: 'W/"v1"' }],
    ["has a date of the very second", { "last-modified": "now" }],
  ])("cannot be told from the same one where the server %s", async (_, given) => {
    const now = new Date().toUTCString()
    const headers = given["last-modified"] ? { "last-modified": now, date: now } : given
    const { url, requests } = await startSource((request, response) => sendBytes(request, response, bytes, headers))
    const source = await open(url)
    await expect(readAll(source, offset)).rejects.toMatchObject({ code: "RANGE_MISMATCH" })
    expect(requests).toHaveLength(1)
    await source.close!()
  })

  it("at the start is an error too, where it shows", async () => {
    const { url } = await startThen({}, answer(200, {}, "short"))
    const source = await open(url)
    await readAll(source)
    await expect(readAll(source)).rejects.toMatchObject({ code: "DIGEST_MISMATCH" })
    await source.close!()
  })
})

describe("a server that breaks off", () => {
  it("is an error that trying again may help", async () => {
    const { url } = await startSource((_, response) => {
      response.writeHead(200, { "content-length": 500_000 })
      sendPiece(response, bytes.subarray(0, offset))
    })
    const source = await open(url)
    await expect(readAll(source)).rejects.toMatchObject({ code: "NETWORK_ERROR" })
    await source.close!()
  })

  it("is not asked for ever", async () => {
    const { url, requests } = await startSource((request, response) => {
      const start = Number(/\d+/.exec(request.headers.range ?? "0")?.[0])
      const range = { "content-range": `bytes ${start}-499999/500000` }
      response.writeHead(start === 0 ? 200 : 206, { etag: '"v1"', ...range, "content-length": 500_000 - start })
      sendPiece(response, bytes.subarray(start, start + 1000))
    })
    const source = await open(url)
    for (let i = 0; i < 10; i++) {
      await expect(readAll(source, i * 1000)).rejects.toMatchObject({ code: "NETWORK_ERROR" })
    }
    expect(requests).toHaveLength(4)
    await source.close!()
  })

  it("is what one counts as that sends less than the rest", async () => {
    const range = { "content-range": `bytes ${offset}-${offset + 9}/500000` }
    const { url } = await startThen({ etag: '"v1"' }, answer(206, range, bytes.subarray(offset, offset + 10)))
    const source = await open(url)
    await expect(readAll(source, offset)).rejects.toMatchObject({ code: "NETWORK_ERROR" })
    await source.close!()
  })

  it("that has no room for the rest just now may have it later", async () => {
    const { url } = await startThen({ etag: '"v1"' }, answer(503, {}, "busy"))
    const source = await open(url)
    await expect(readAll(source, offset)).rejects.toMatchObject({ code: "NETWORK_ERROR" })
    await source.close!()
  })

  it("and then has the file no more is an error for good", async () => {
    const { url } = await startThen({ etag: '"v1"' }, (_, response) => response.writeHead(404).end())
    const source = await open(url)
    await expect(readAll(source, offset)).rejects.toMatchObject({
      code: "BAD_REQUEST",
      message: expect.stringContaining("answered 404"),
    })
    await source.close!()
  })
})

/** A server that writes just these bytes, whatever HTTP thinks of them. */
const startRaw = async (text: string): Promise<string> => {
  const server = createServer((socket) => {
    socket.on("error", () => {})
    socket.once("data", () => socket.end(text))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/a`
}

describe("a length that lies", () => {
  it("by too much is an error", async () => {
    const source = await open(await startRaw("HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nhello"))
    expect(source.size).toBe(10)
    await expect(readAll(source)).rejects.toMatchObject({ code: "NETWORK_ERROR" })
  })

  it("by too little ends the file there, as HTTP has it", async () => {
    const source = await open(await startRaw("HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nhello"))
    expect(new TextDecoder().decode(await readAll(source))).toBe("hel")
  })

  it.each([
    "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\ncontent-length: 3\r\ncontent-length: 5\r\n\r\nhello",
    "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ntransfer-encoding: chunked\r\n\r\n2\r\nhe\r\n0\r\n\r\n",
    "HTTP/1.1 200 OK\r\nx: \0\r\ncontent-length: 5\r\n\r\nhello",
    "SSH-2.0-OpenSSH_9.9\r\n",
    "",
  ])("as in %j is refused", async (text) => {
    await expect(open(await startRaw(text), local)).rejects.toMatchObject({ code: "NETWORK_ERROR" })
  })
})
