import { type ClientHttp2Session, connect, type OutgoingHttpHeaders } from "node:http2"
import { createBody, hosts, oddTargets, rareMethods } from "./request-parts.ts"
import type { Surface } from "./generate-input.ts"
import { createRandom, type Random } from "./random.ts"

/** A request as Node's client can be made to send it, which is a good deal stricter than HTTP/1 as text. */
const generate = (random: Random, surface: Surface): readonly [OutgoingHttpHeaders, string] => {
  const headers: OutgoingHttpHeaders = {
    ":method": random.chance(0.7) ? random.pick(["GET", "POST", "PUT", "HEAD"]) : random.pick(rareMethods),
    ":path": random.chance(0.7) ? random.pick(surface.targets) : random.pick(oddTargets),
    ":authority": random.chance(0.95) ? surface.host : random.pick(hosts),
    ":scheme": random.chance(0.97) ? "http" : random.pick(["https", "javascript", "", "\u00ff"]),
    "content-type": random.pick(["application/json", "text/plain", "\u00ff", ""]),
  }
  for (const [name, value] of surface.headers) if (random.chance(0.4)) headers[name] = value
  if (random.chance(0.05)) headers["content-length"] = random.below(100)
  if (random.chance(0.1)) headers["expect"] = random.pick(["100-continue", "x"])
  if (random.chance(0.05)) headers["host"] = random.pick(hosts)
  // One frame holds so many. Of more, and a reset, Node's own HTTP/2 server ends with an assertion, whatever it serves: see
  // docs/frameworks/node.md.
  if (random.chance(0.03)) headers["x-long"] = "x".repeat(random.below(12_000))
  if (random.chance(0.1)) headers["te"] = "trailers"
  return [headers, createBody(random, surface)]
}

/** Sends so many requests over HTTP/2; how often each status came, or what came instead. */
export const sendOverHttp2 = async (
  origin: string,
  surface: Surface,
  { seed, total, streams = 32 }: { readonly seed: number; readonly total: number; readonly streams?: number },
): Promise<Readonly<Record<string, number>>> => {
  const answers: Record<string, number> = {}
  const count = (what: string) => void (answers[what] = (answers[what] ?? 0) + 1)
  let next = 0
  const open = (): ClientHttp2Session => connect(origin).on("error", () => {})
  const send = (session: ClientHttp2Session, index: number): Promise<void> =>
    new Promise((resolve) => {
      const random = createRandom(seed, index)
      const [headers, body] = generate(random, surface)
      let status = "closed without an answer"
      try {
        const stream = session.request(headers, { endStream: random.chance(0.3) })
        stream.on("response", (head) => void (status = String(head[":status"])))
        stream.on("error", () => {})
        stream.on("close", () => {
          count(status)
          resolve()
        })
        stream.resume()
        if (random.chance(0.05)) stream.close(random.below(14))
        else if (!stream.writableEnded) stream.end(body)
        // A body shorter than it says, or never asked for, would be waited for by both.
        stream.setTimeout(500, () => stream.close(8))
      } catch {
        count("refused by the client itself")
        resolve()
      }
    })
  const work = async () => {
    let session = open()
    while (next < total) {
      if (session.destroyed || session.closed) session = open()
      await send(session, next++)
    }
    session.destroy()
  }
  await Promise.all(Array.from({ length: streams }, work))
  return answers
}
