import { createSocket } from "node:dgram"
import { once } from "node:events"
import { describe, expect, it, onTestFinished } from "vitest"
import { createResolveByNameServers } from "../../src/server-kit/resolve-host.ts"

/** What a name server says to a question: addresses, that there are none, that there is no such name, or nothing at all. */
type Said = ReadonlyArray<string> | "none" | "no such name" | "nothing"

const typeOf = { 1: "A", 28: "AAAA" } as const

const toBytes = (address: string): Buffer =>
  address.includes(":")
    ? Buffer.from(
        address
          .split(":")
          .map((part) => part.padStart(4, "0"))
          .join(""),
        "hex",
      )
    : Buffer.from(address.split(".").map(Number))

/** A name server on this machine; `say` is asked for each question. */
const startNameServer = async (say: (name: string, type: "A" | "AAAA") => Said) => {
  const asked: Array<string> = []
  const socket = createSocket("udp4")
  socket.on("message", (question, from) => {
    const labels: Array<string> = []
    let at = 12
    for (; question[at] !== 0; at += question[at]! + 1)
      labels.push(question.toString("latin1", at + 1, at + 1 + question[at]!))
    const type = typeOf[question.readUInt16BE(at + 1) as keyof typeof typeOf]
    const name = labels.join(".")
    asked.push(`${type} ${name}`)
    const said = say(name, type)
    if (said === "nothing") return
    const addresses = typeof said === "string" ? [] : said
    const header = Buffer.alloc(12)
    question.copy(header, 0, 0, 2)
    header.writeUInt16BE(said === "no such name" ? 0x8183 : 0x8180, 2)
    header.writeUInt16BE(1, 4)
    header.writeUInt16BE(addresses.length, 6)
    const records = addresses.map((address) => {
      const bytes = toBytes(address)
      const record = Buffer.alloc(12)
      record.writeUInt16BE(0xc00c, 0)
      record.writeUInt16BE(type === "A" ? 1 : 28, 2)
      record.writeUInt16BE(1, 4)
      record.writeUInt32BE(30, 6)
      record.writeUInt16BE(bytes.length, 10)
      return Buffer.concat([record, bytes])
    })
    socket.send(Buffer.concat([header, question.subarray(12, at + 5), ...records]), from.port, from.address)
  })
  socket.bind(0, "127.0.0.1")
  await once(socket, "listening")
  onTestFinished(() => void socket.close())
  return { asked, servers: [`127.0.0.1:${socket.address().port}`] }
}

const start = async (say: Parameters<typeof startNameServer>[0], timeout = 100) => {
  const { asked, servers } = await startNameServer(say)
  const resolve = createResolveByNameServers({
    servers,
    timeout,
    fallback: async () => [{ address: "192.0.2.99", family: 4 }],
  })
  return { asked, resolve }
}

const a = { address: "192.0.2.1", family: 4, ttl: 30 }
const aaaa = { address: "2001:db8:0:0:0:0:0:1", family: 6, ttl: 30 }
const found6 = { ...aaaa, address: "2001:db8::1" }

describe("a look-up at the name servers", () => {
  it("finds the addresses of both families, those of IPv4 first, and how long they may be kept", async () => {
    const { resolve } = await start((_name, type) => [type === "A" ? a.address : aaaa.address])
    expect(await resolve("app.example")).toEqual([a, found6])
  })

  it.each([
    ["IPv4 only", (type: string): Said => (type === "A" ? [a.address] : "none"), [a]],
    ["IPv6 only", (type: string): Said => (type === "A" ? "none" : [aaaa.address]), [found6]],
    [
      "IPv4, and its server is silent about IPv6",
      (type: string): Said => (type === "A" ? [a.address] : "nothing"),
      [a],
    ],
    [
      "IPv6, and its server is silent about IPv4",
      (type: string): Said => (type === "A" ? "nothing" : [aaaa.address]),
      [found6],
    ],
  ])("finds what there is: %s", async (_, say, expected) => {
    const { resolve } = await start((_name, type) => say(type))
    expect(await resolve("app.example")).toEqual(expected)
  })

  it.each(["none", "no such name"] as const)(
    "fails as one of the system does where there is no address: %s",
    async (said) => {
      const { resolve } = await start(() => said)
      await expect(resolve("app.example")).rejects.toMatchObject({
        code: "ENOTFOUND",
        message: "app.example has no address.",
      })
    },
  )

  it("keeps a few addresses of a name that has many", async () => {
    const { resolve } = await start((_name, type) =>
      type === "A" ? Array.from({ length: 25 }, (_, index) => `192.0.2.${index}`) : "none",
    )
    expect((await resolve("app.example")).map(({ address }) => address)).toHaveLength(8)
  })

  it("does not take silence for a name that does not exist", async () => {
    const { resolve } = await start((_name, type) => (type === "A" ? "nothing" : "none"))
    await expect(resolve("app.example")).rejects.toMatchObject({
      code: "ETIMEOUT",
      message: "app.example could not be looked up (ETIMEOUT).",
    })
  })

  it("does not wait for others, however many of them hang", async () => {
    const { asked, resolve } = await start(
      (name, type) => (name.startsWith("hung") ? "nothing" : type === "A" ? [a.address] : "none"),
      60_000,
    )
    const closing = new AbortController()
    const hung = Array.from({ length: 100 }, (_, count) => resolve(`hung${count}.example`, closing.signal))
    const ended = Promise.allSettled(hung)
    expect(await resolve("app.example")).toEqual([a])
    expect(new Set(asked.filter((one) => one.startsWith("A hung"))).size).toBe(100)
    closing.abort()
    for (const one of await ended) expect(one).toMatchObject({ status: "rejected", reason: { code: "ECANCELLED" } })
  })

  it("is left to the system where no name server can be reached", async () => {
    const socket = createSocket("udp4")
    socket.bind(0, "127.0.0.1")
    await once(socket, "listening")
    const { port } = socket.address()
    await new Promise<void>((resolve) => void socket.close(resolve))
    const fallback = async () => [{ address: "192.0.2.99", family: 4 }]
    const resolve = createResolveByNameServers({ servers: [`127.0.0.1:${port}`], fallback })
    expect(await resolve("app.example")).toEqual([{ address: "192.0.2.99", family: 4 }])
  })

  it("asks nobody once it is aborted", async () => {
    const { asked, resolve } = await start(() => "nothing")
    await expect(resolve("app.example", AbortSignal.abort())).rejects.toMatchObject({ name: "AbortError" })
    expect(asked).toEqual([])
  })
})
