/* What the three processes of the floor share: a request over a kept connection, and signatures. */
import { createHmac, createSecretKey, timingSafeEqual } from "node:crypto"
import { Agent, type OutgoingHttpHeaders, request } from "node:http"
import type { Readable } from "node:stream"

const agent = new Agent({ keepAlive: true })
const key = createSecretKey("sk_live_0123456789abcdef0123456789abcdef", "utf8")

/** Sends a body and gives the text of the answer. Rejects unless that is 200. */
export const send = (method: string, url: string, headers: OutgoingHttpHeaders, body: string | Uint8Array | Readable) =>
  new Promise<string>((resolve, reject) => {
    const sent = request(url, { method, agent, headers }, (answer) => {
      let text = ""
      answer.setEncoding("utf8")
      answer.on("data", (piece: string) => (text += piece))
      answer.on("end", () => (answer.statusCode === 200 ? resolve(text) : reject(new Error(`${answer.statusCode}`))))
      answer.on("error", reject)
    })
    sent.on("error", reject)
    if (typeof body === "string" || body instanceof Uint8Array) sent.end(body)
    else body.on("error", reject).pipe(sent)
  })

export const sign = (text: string): string => createHmac("sha256", key).update(text).digest("hex")

export const isSigned = (text: string, signature: unknown): boolean => {
  const claimed = Buffer.from(String(signature), "hex")
  return claimed.length === 32 && timingSafeEqual(claimed, createHmac("sha256", key).update(text).digest())
}
