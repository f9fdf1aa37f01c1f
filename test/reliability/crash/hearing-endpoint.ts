import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { Webhook } from "standardwebhooks"
import type { Random } from "../random.ts"
import type { Upload } from "./world.ts"

/** What an endpoint knows of one file's events. */
export interface HearingEndpoint {
  readonly url: string
  /** The ids of events, by the key of the file and what became of it. */
  readonly heard: ReadonlyMap<string, ReadonlySet<string>>
  /** How many events came, repeats included. */
  readonly count: () => number
  readonly close: () => void
}

const readAll = async (request: IncomingMessage): Promise<string> => {
  let text = ""
  for await (const chunk of request.setEncoding("utf8")) text += chunk
  return text
}

const listen = async (handle: (request: IncomingMessage, response: ServerResponse) => Promise<void>) => {
  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

/** An endpoint that takes connections, and answers none. */
export const startSilentEndpoint = () => listen(() => new Promise(() => {}))

/** An endpoint that now and then fails, is slow or breaks a connection. */
export const startHearingEndpoint = async ({
  secret,
  random,
  violate,
  isHeld,
}: {
  readonly secret: string
  readonly random: Random
  readonly violate: (what: string) => void
  /** Whether nobody has asked for a verdict on this file: nothing but that it is held may be told of it. */
  readonly isHeld: (key: string) => boolean
}): Promise<HearingEndpoint> => {
  const heard = new Map<string, Set<string>>()
  const webhook = new Webhook(secret)
  let count = 0
  const { url, close } = await listen(async (request, response) => {
    const body = await readAll(request)
    const headers = request.headers as Record<string, string>
    try {
      webhook.verify(body, headers)
    } catch {
      violate(`An event was not signed right: ${body}`)
    }
    const { type, data } = JSON.parse(body) as { type: string; data: { key: string } }
    if (isHeld(data.key) && type !== "file.held") violate(`${type} came for ${data.key}, which is held.`)
    const name = `${data.key} ${type.replace("file.", "")}`
    heard.set(name, (heard.get(name) ?? new Set()).add(headers["webhook-id"]!))
    count++
    const mood = random.below(20)
    if (mood === 0) return void request.socket.resetAndDestroy()
    if (mood === 1) return void response.writeHead(500).end("not now")
    if (mood === 2) await sleep(random.between(10, 80))
    response.writeHead(204).end()
  })
  return { url, heard, count: () => count, close }
}

/**
 * What an endpoint must have heard of an upload in the end; undefined where its client cannot know.
 *
 * @param isBegun whether the ingest has heard of it
 */
export const toBeHeard = ({ fate }: Upload, isBegun: boolean): ReadonlyArray<string> | undefined => {
  if (!isBegun) return undefined
  switch (fate) {
    case "finished":
    case "renewed":
      return ["uploaded"]
    case "claimed":
      return ["claimed", "uploaded"]
    case "released":
      return ["held", "released", "uploaded"]
    case "rejected":
      return ["held", "rejected"]
    case "deleted":
    case "deleted with owner":
      return ["deleted", "uploaded"]
    case "unclaimed":
      return ["expired", "uploaded"]
    case "abandoned":
    case "lying":
      return ["failed"]
    // The file that was replaced may have been registered or not, and the last byte have come before the deletion or not.
    case "replaced":
    case "deleted midway":
      return undefined
  }
}
