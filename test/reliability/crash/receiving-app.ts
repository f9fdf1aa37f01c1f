import { createHmac } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { type CallbackEvent, type ErrorEvent, names } from "../../../src/protocol.ts"
import { exchange } from "../exchange.ts"
import type { Random } from "../random.ts"
import type { Ask } from "./ask.ts"
import type { Moment } from "./moments.ts"

/** What an app knows of one file's events. */
export interface Heard {
  readonly ids: Set<string>
  /** How often it came, repeats included. */
  count: number
  readonly last: CallbackEvent | ErrorEvent
}

/** How an app takes a callback. */
export type Mood =
  | "well"
  /** Its connection is reset. */
  | "breaks off"
  /** It answers 500. */
  | "fails"
  | "slow"
  /** Its answer ends too early, or never comes although it has posted its result. */
  | "torn"
  /** It never answers. */
  | "hangs"
  /** It says 200, and posts its result afterwards. */
  | "late"

const moods: ReadonlyArray<Mood> = ["breaks off", "fails", "slow", "torn"]

/** An app that takes callbacks, and now and then fails, is slow or crashes. */
export interface ReceivingApp {
  readonly url: string
  /** By file key and hook. */
  readonly heard: ReadonlyMap<string, Heard>
  /** Breaks all its connections and takes no new ones for a while. */
  readonly crash: (duration: number) => Promise<void>
  readonly close: () => void
}

const readAll = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) text += chunk
  return text
}

/** What the app's callback returns for an event: by it a result is recognised. */
export const resultOf = (id: string) => ({ handled: id })

export const startReceivingApp = async ({
  apiKey,
  random,
  see,
  violate,
  ingestUrl,
  isDeleted,
  isHeld,
  pickMood = () => moods[random.below(20)] ?? "well",
  ask = exchange,
}: {
  readonly apiKey: string
  readonly random: Random
  readonly see: (moment: Moment) => void
  readonly violate: (what: string) => void
  /** Where the ingest listens now. */
  readonly ingestUrl: () => Promise<string>
  /** Whether the app has, or may have, deleted this file: there is nothing to post a result to. */
  readonly isDeleted: (key: string) => boolean
  /** Whether nobody has asked for a verdict on this file: nothing may be told of it. */
  readonly isHeld: (key: string) => boolean
  /** By default one callback of five does not go well. */
  readonly pickMood?: (event: CallbackEvent | ErrorEvent) => Mood
  readonly ask?: Ask
}): Promise<ReceivingApp> => {
  const heard = new Map<string, Heard>()
  const sockets = new Set<Socket>()
  let isDown = false
  const closing = new AbortController()

  const sign = (text: string): string => `hmac-sha256=${createHmac("sha256", apiKey).update(text).digest("hex")}`

  const isSigned = ({ headers }: IncomingMessage, body: string): boolean => {
    const signed = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`
    const standard = createHmac("sha256", apiKey).update(signed).digest("base64")
    return headers[names.header.signature] === sign(body) && headers["webhook-signature"] === `v1,${standard}`
  }

  const note = (key: string, event: CallbackEvent | ErrorEvent): void => {
    const name = `${key} ${event.status}`
    const before = heard.get(name)
    const ids = before?.ids ?? new Set()
    heard.set(name, { ids: ids.add(event.id), count: (before?.count ?? 0) + 1, last: event })
  }

  /** Whether the ingest has answered. */
  const postResult = async (key: string, id: string): Promise<boolean> => {
    const answer = await ask(`${await ingestUrl()}/${names.path.callbackResult}`, {
      method: "POST",
      headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
      body: [Buffer.from(JSON.stringify({ fileKey: key, callbackData: resultOf(id) }))],
      onSent: () => see("result"),
    })
    if (answer !== undefined && answer.status !== 200 && !(answer.status === 404 && isDeleted(key))) {
      violate(`The result for ${key} was answered ${answer.status} ${answer.body.toString()}`)
    }
    return answer !== undefined
  }

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(request)
    if (!isSigned(request, body)) violate(`A callback was not signed right: ${body}`)
    const event = JSON.parse(body) as CallbackEvent | ErrorEvent
    const key = event.status === "uploaded" ? event.file.key : event.fileKey
    if (isHeld(key)) violate(`A callback came for ${key}, which is held.`)
    note(key, event)
    see("callback")
    const mood = pickMood(event)
    if (mood === "breaks off") return void request.socket.resetAndDestroy()
    if (mood === "fails") return void response.writeHead(500).end("not now")
    if (mood === "hangs") return
    if (mood === "slow") await sleep(random.between(10, 80))
    if (event.status === "uploaded" && mood === "late") {
      response.end(`{"ok":true}`)
      await sleep(random.between(10, 300))
      while (!closing.signal.aborted && !(await postResult(key, event.id)));
      return
    }
    if (event.status === "uploaded" && request.headers[names.header.accept] === "result" && random.chance(0.7)) {
      const text = JSON.stringify({ fileKey: key, callbackData: resultOf(event.id) })
      response.once("finish", () => see("signed answer"))
      response.writeHead(200, {
        [names.header.signature]: sign(`sluice-result\n${event.id}\n${event.attempt}\n${text}`),
        "content-length": text.length,
      })
      if (mood !== "torn") return void response.end(text)
      response.write(text.slice(0, -5), () => request.socket.resetAndDestroy())
      return
    }
    if (event.status === "uploaded") {
      if (!(await postResult(key, event.id))) return void response.writeHead(500).end("the ingest is away")
      if (mood === "torn") return void request.socket.resetAndDestroy()
    }
    response.end(`{"ok":true}`)
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  server.on("connection", (socket) => {
    if (isDown) return void socket.resetAndDestroy()
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/sluice`,
    heard,
    crash: async (duration) => {
      isDown = true
      for (const socket of sockets) socket.resetAndDestroy()
      await sleep(duration)
      isDown = false
    },
    close: () => {
      closing.abort()
      server.close()
      server.closeAllConnections()
    },
  }
}
