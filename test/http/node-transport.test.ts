import type { IncomingMessage, RequestListener } from "node:http"
import { createServer as createHttpsServer } from "node:https"
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from "node:net"
import * as tls from "node:tls"
import { describe, expect, it, onTestFinished } from "vitest"
import { createNodeTransport } from "../../src/http/node-transport.ts"
import { readStart, readWhole } from "../../src/http/read-answer.ts"
import { eventually, listen } from "../ingest/circle.ts"
import { own } from "./own-certificate.ts"

/** Missing in the declarations of Node 22, whose later versions have it. */
const { setDefaultCACertificates } = tls as unknown as { setDefaultCACertificates: (all: Array<string>) => void }

/** A transport of its own for a test: what it answers is status and body. */
const createClient = () => {
  const transport = createNodeTransport(256)
  onTestFinished(transport.close)
  const post = async (url: string, signal = new AbortController().signal) => {
    const answer = await transport.send({ url, method: "POST", headers: { "x-one": "1" }, body: "{}", signal })
    return `${answer.status} ${await readWhole(answer, 100)}`
  }
  return { ...transport, post }
}

const start = async (server: Server, protocol: string): Promise<string> => {
  const sockets = new Set<Socket>()
  server.on("connection", (socket: Socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  return `${protocol}://127.0.0.1:${(server.address() as AddressInfo).port}/`
}

/** A server that is asked for the first time on a connection, or again, and how often in all. */
const startCounting = (answer: (request: IncomingMessage, isReused: boolean) => string | undefined) => {
  const known = new Set<Socket>()
  const seen: Array<"first" | "again"> = []
  const listener: RequestListener = (request, response) => {
    const { socket } = request
    const isReused = known.has(socket)
    known.add(socket)
    seen.push(isReused ? "again" : "first")
    const text = answer(request, isReused)
    if (text === undefined) socket.destroy()
    else response.end(text)
  }
  return { seen, listener }
}

describe("a request over node:http", () => {
  it("asks for an answer as it is, and sends the headers that it was given", async () => {
    const headers: Array<IncomingMessage["headers"]> = []
    const url = await listen((request, response) => {
      headers.push(request.headers)
      response.end("done")
    })
    expect(await createClient().post(url)).toBe("200 done")
    expect(headers).toEqual([
      {
        accept: "*/*",
        "accept-encoding": "identity",
        connection: "keep-alive",
        "content-length": "2",
        host: new URL(url).host,
        "user-agent": "sluice",
        "x-one": "1",
      },
    ])
  })

  it("sends pieces with their length, says how it gets on, and gives the answer as it is read", async () => {
    const lengths: Array<string | undefined> = []
    const url = await listen((request, response) => {
      lengths.push(request.headers["content-length"])
      request.pipe(response)
    })
    const { send } = createClient()
    const bytes = Buffer.alloc(3_000_000, "0123456789")
    const body = [bytes.subarray(0, 7), new Uint8Array(), bytes.subarray(7)]
    let steps = 0
    const onProgress = () => void steps++
    const signal = new AbortController().signal
    const { stream } = await send({ url, method: "PUT", headers: {}, body, onProgress, signal })
    const pieces: Array<Uint8Array> = []
    for await (const piece of stream()) pieces.push(piece)
    expect(Buffer.concat(pieces).equals(bytes)).toBe(true)
    expect(lengths).toEqual(["3000000"])
    expect(steps).toBe(13)
  })

  it("is not sent again over a new connection where it may be sent only once", async () => {
    const { seen, listener } = startCounting((_request, isReused) => (isReused ? undefined : "done"))
    const url = await listen(listener)
    const { send, post } = createClient()
    expect(await post(url)).toBe("200 done")
    const signal = new AbortController().signal
    const once = send({ url, method: "POST", headers: {}, body: "{}", isSentOnce: true, signal })
    await expect(once).rejects.toThrow("socket hang up")
    expect(seen).toEqual(["first", "again"])
  })

  it("is not led elsewhere", async () => {
    const seen: Array<string | undefined> = []
    const url = await listen((request, response) => {
      seen.push(request.url)
      response.writeHead(307, { location: "/elsewhere" }).end("moved")
    })
    expect(await createClient().post(url)).toBe("307 moved")
    expect(seen).toEqual(["/"])
  })

  it("fails where the server switches to a protocol that nobody asked for", async () => {
    const server = createTcpServer((socket) => {
      socket.on("error", () => {})
      socket.once("data", () => {
        socket.write("HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: other\r\n\r\n")
      })
    })
    const url = await start(server, "http")
    await expect(createClient().post(url)).rejects.toThrow("ended without an answer")
  })

  it("fails where the server announces an answer without end, and ends the connection", async () => {
    const closed = Promise.withResolvers<void>()
    const server = createTcpServer((socket) => {
      socket.on("error", () => {})
      socket.on("close", () => closed.resolve())
      const flood = () => {
        while (socket.writable && socket.write("HTTP/1.1 103 Early Hints\r\n\r\n"));
      }
      socket.on("drain", flood)
      socket.once("data", flood)
    })
    const url = await start(server, "http")
    await expect(createClient().post(url)).rejects.toThrow("again and again")
    await closed.promise
  })

  it("goes over the connection of the one before it, whose answer was read", async () => {
    const { seen, listener } = startCounting(() => "done")
    const url = await listen(listener)
    const { post } = createClient()
    for (let count = 0; count < 3; count++) expect(await post(url)).toBe("200 done")
    expect(seen).toEqual(["first", "again", "again"])
  })

  it("waits where 256 others to the same origin are under way", async () => {
    const waiting: Array<() => void> = []
    const url = await listen((_, response) => void waiting.push(() => response.end("done")))
    const { post } = createClient()
    const posts = Array.from({ length: 264 }, () => post(url))
    await eventually(() => waiting.length === 256)
    // Another origin is another matter.
    const other = await listen((_, response) => response.end("other"))
    expect(await post(other)).toBe("200 other")
    expect(waiting).toHaveLength(256)
    for (let end = waiting.pop(); end !== undefined; end = waiting.pop()) end()
    await eventually(() => waiting.length === 8)
    for (const end of waiting) end()
    expect(new Set(await Promise.all(posts))).toEqual(new Set(["200 done"]))
  })

  it.each(["before the head", "within the body"])("ends with the reason of its abort %s", async (when) => {
    const url = await listen((_, response) => {
      if (when === "within the body") response.write("half")
      arrived.resolve()
    })
    const arrived = Promise.withResolvers<void>()
    const controller = new AbortController()
    const posted = createClient().post(url, controller.signal)
    const failed = expect(posted).rejects.toThrow("enough of it")
    await arrived.promise
    controller.abort(new Error("enough of it"))
    await failed
    await expect(createClient().post(url, controller.signal)).rejects.toThrow("enough of it")
  })

  it("has an answer whose connection is closed once enough of it was read", async () => {
    const closed = Promise.withResolvers<void>()
    const url = await listen((request, response) => {
      request.socket.on("close", () => closed.resolve())
      response.write("x".repeat(2 ** 20))
    })
    const { send } = createClient()
    const { signal } = new AbortController()
    const answer = await send({ url, method: "POST", headers: {}, signal })
    expect(await readStart(answer, 60_000)).toBe("x".repeat(512))
    await closed.promise
    await expect(answer.read(() => true)).rejects.toThrow("broke off")
  })

  it("leaves no connection behind where the transport is closed", async () => {
    const closed = Promise.withResolvers<void>()
    const url = await listen((request, response) => {
      request.socket.on("close", () => closed.resolve())
      response.end("done")
    })
    const { post, close } = createClient()
    expect(await post(url)).toBe("200 done")
    close()
    await closed.promise
  })
})

describe("a request on a connection that the other side has closed", () => {
  it("is sent once more at once, over a new one", async () => {
    const { seen, listener } = startCounting((_, isReused) => (isReused ? undefined : "done"))
    const url = await listen(listener)
    const { post } = createClient()
    expect([await post(url), await post(url)]).toEqual(["200 done", "200 done"])
    expect(seen).toEqual(["first", "again", "first"])
  })

  it("is not sent a third time", async () => {
    let requests = 0
    const { seen, listener } = startCounting(() => (++requests === 1 ? "done" : undefined))
    const url = await listen(listener)
    const { post } = createClient()
    expect(await post(url)).toBe("200 done")
    await expect(post(url)).rejects.toThrow()
    expect(seen).toEqual(["first", "again", "first"])
  })

  it("is not sent again where nobody else has used it", async () => {
    const { seen, listener } = startCounting(() => undefined)
    const url = await listen(listener)
    await expect(createClient().post(url)).rejects.toThrow()
    expect(seen).toEqual(["first"])
  })

  it("is not sent again once a byte of an answer has come", async () => {
    let requests = 0
    const answer = "HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\ndone"
    const server = createTcpServer((socket) => {
      socket.on("error", () => {})
      socket.on("data", () => {
        if (++requests !== 2) socket.write(answer)
        else socket.end("H")
      })
    })
    const url = await start(server, "http")
    const { post } = createClient()
    expect(await post(url)).toBe("200 done")
    await expect(post(url)).rejects.toThrow()
    expect(requests).toBe(2)
  })

  it("is not sent again where it was aborted", async () => {
    const { seen, listener } = startCounting((_, isReused) => {
      if (isReused) controller.abort(new Error("enough of it"))
      return isReused ? undefined : "done"
    })
    const controller = new AbortController()
    const url = await listen(listener)
    const { post } = createClient()
    expect(await post(url)).toBe("200 done")
    await expect(post(url, controller.signal)).rejects.toThrow("enough of it")
    expect(seen).toEqual(["first", "again"])
  })
})

describe("a request over node:https", () => {
  it("goes to nobody whose certificate no authority has signed", async () => {
    const { seen, listener } = startCounting(() => "done")
    const url = await start(createHttpsServer(own, listener), "https")
    await expect(createClient().post(url)).rejects.toThrow("self-signed certificate")
    expect(seen).toEqual([])
  })

  it("goes to those of the process's authorities, and again where a kept connection was closed", async () => {
    const authorities = tls.getCACertificates("default")
    setDefaultCACertificates([...authorities, own.cert])
    onTestFinished(() => setDefaultCACertificates(authorities))
    const { seen, listener } = startCounting((_, isReused) => (isReused ? undefined : "done"))
    const url = await start(createHttpsServer(own, listener), "https")
    const { post } = createClient()
    expect([await post(url), await post(url)]).toEqual(["200 done", "200 done"])
    expect(seen).toEqual(["first", "again", "first"])
  })
})
