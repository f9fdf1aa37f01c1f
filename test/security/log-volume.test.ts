import { once } from "node:events"
import { connect } from "node:net"
import { describe, expect, it } from "vitest"
import { names } from "../../src/protocol.ts"
import { startRealIngest } from "./running-ingest.ts"

/** Requests that are sent before they are answered, half as many as a connection may. */
const ahead = 16

/** Sends requests over one socket, one behind the other, and gives the status of each answer. */
const sendAll = async (url: string, requests: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  await once(socket, "connect")
  let rest = ""
  const found: Array<string> = []
  let sent = 0
  const sendMore = () => {
    while (sent < requests.length && sent - found.length < ahead) socket.write(requests[sent++]!)
  }
  const answered = new Promise<void>((resolve, reject) => {
    socket.on("data", (chunk: Buffer) => {
      const lines = (rest + chunk.toString("latin1")).split("\r\n")
      rest = lines.pop()!
      // A body has no line end of its own: the next answer begins behind it, in the same line.
      for (const line of lines) for (const [, status] of line.matchAll(/HTTP\/1\.1 (\d{3})/g)) found.push(status!)
      sendMore()
      if (found.length === requests.length) resolve()
    })
    socket.on("close", () => reject(new Error(`It was closed after ${found.length} answers.`)))
  })
  sendMore()
  await answered
  socket.destroy()
  return found
}

const get = (target: string, headers: ReadonlyArray<string> = []): string =>
  `${[`GET ${target} HTTP/1.1`, "host: x", ...headers].join("\r\n")}\r\n\r\n`

const of = (lines: ReadonlyArray<string>, message: string) =>
  lines.filter((line) => line.includes(message)).map((line) => JSON.parse(line))

describe("who has no key", () => {
  it("cannot fill the log: of 10,000 refused requests it has some lines, and how many there were", async () => {
    const { url, child, ended } = await startRealIngest()
    const long = "x".repeat(4000)
    const kinds = [
      (i: number) => get(`/wp-content/${i}/${long}`),
      (i: number) => get(`/f/${i}`),
      (i: number) => get(`/a/app/${long}${i}`),
      (i: number) =>
        `PUT /k${i}?expires=1&x=${long}&signature=${"a".repeat(64)} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`,
      (i: number) =>
        `POST /v6/listFiles HTTP/1.1\r\nhost: x\r\n${names.header.apiKey}: sk_${i}\r\ncontent-length: 2\r\n\r\n{}`,
      (i: number) =>
        `POST /${names.path.register} HTTP/1.1\r\nhost: x\r\n${names.header.apiKey}: ${i}\r\ncontent-length: 2\r\n\r\n{}`,
      (i: number) => `DELETE /f/${i} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`,
      (i: number) => get(`/f/${i}`, [`traceparent: 00-${"a".repeat(32)}-${"b".repeat(16)}-01`, `x: ${long}`]),
    ]
    const each = 1250
    for (const kind of kinds) {
      const answers = await sendAll(
        url,
        Array.from({ length: each }, (_, i) => kind(i)),
      )
      expect(answers.filter((status) => !status.startsWith("4"))).toEqual([])
    }
    child.kill("SIGTERM")
    const { stdout, stderr } = await ended
    expect(Buffer.byteLength(stdout + stderr)).toBeLessThan(64 * 1024)
    const lines = stdout.split("\n")
    const single = of(lines, "A request was refused.").length
    const more = of(lines, "More requests were refused")
    let counted = 0
    for (const { time: _time, level, service: _service, message: _message, ...codes } of more) {
      expect(level).toBe("info")
      counted += Object.values(codes as Record<string, number>).reduce((sum, count) => sum + count, 0)
    }
    expect(single + counted).toBe(kinds.length * each)
  }, 60_000)

  it("puts no control character and no long text into it", async () => {
    const options = ["--log-format", "text", "--log-level", "Debug"]
    const { url, child, ended, sign } = await startRealIngest(options)
    const hostile = [
      "/%1b%5b2J%0a%0dsluice%20error",
      "/f/\u009b2J\u202eabc",
      `/a/%0a%1b%5b31m/${"%1b".repeat(1000)}`,
      `/${"k".repeat(100)}?expires=%0a%1b&name=%1b%0a${"n".repeat(6000)}`,
    ]
    const bytes = hostile.map((target) => Buffer.from(get(target), "utf8").toString("latin1"))
    const { hostname, port } = new URL(url)
    for (const request of bytes) {
      const socket = connect(Number(port), hostname)
      socket.on("error", () => {})
      socket.write(Buffer.from(request, "latin1"))
      await once(socket, "data")
      socket.destroy()
    }
    await fetch(`${url}/v6/listFiles`, {
      method: "POST",
      headers: { [names.header.apiKey]: "x", "content-type": "text/plain\u00a0;" },
      body: '"\u001b[2J\n\u202e"',
    })
    // A file's name is anybody's, though the app has signed it; the refusal of an expired URL quotes it.
    const { signed } = await sign({ expires: 1, name: `\u202egpj.\u009b2J${"n".repeat(900)}` })
    expect((await fetch(signed, { method: "HEAD" })).status).toBe(403)
    child.kill("SIGTERM")
    const { stdout, stderr } = await ended
    expect(stdout).toContain("\\u202egpj")
    const log = (stdout + stderr).split("\n").filter((line) => line.includes("[sluice]"))
    expect(log.filter((line) => line.includes("refused")).length).toBeGreaterThanOrEqual(hostile.length)
    for (const line of log) {
      expect(line).not.toMatch(/[\p{Cc}\u2028-\u202e\u2066-\u2069]/u)
      expect(line.length).toBeLessThan(800)
    }
  })
})
