import { askByNode, createAgents } from "./node-transport.ts"
import type { FetchLike } from "./fetch-transport.ts"
import { createIsPlainNode } from "./own-transport.ts"
import type { NodeRequest } from "./node-request.ts"
import { readWhole } from "./read-answer.ts"

/** Bytes of an answer: more than any answer of an app or an ingest to a request of a client. */
const answerMaximum = 64 * 1024 * 1024

/** A body as uploads send it. Only an empty file comes as a Blob. */
const toBody = (body: RequestInit["body"]): NodeRequest["body"] =>
  body instanceof Blob ? "" : ((body ?? undefined) as NodeRequest["body"])

/** Headers as objects of our own are taken as they are; their names are in small letters. */
const toHeaders = (headers: RequestInit["headers"] = {}): Readonly<Record<string, string>> =>
  Object.getPrototypeOf(headers) === Object.prototype
    ? (headers as Record<string, string>)
    : Object.fromEntries(new Headers(headers))

/**
 * Makes a `fetch` for uploads that sends with `node:http`, over kept connections, wherever the global one is Node's own.
 * Its answers have what uploads read of a `Response`: status, headers and text.
 */
export const createNodeFetch = (): FetchLike => {
  const isPlainNode = createIsPlainNode()
  const agents = createAgents(Infinity)

  const ask = async (href: string, init: RequestInit = {}): Promise<Response> => {
    const { method = "GET", redirect } = init
    const body = toBody(init.body)
    const signal = init.signal ?? undefined
    const url = new URL(href)
    const headers = toHeaders(init.headers)
    const answer = await askByNode(agents, { url, method, headers, body, signal })
    const { status } = answer
    if (redirect !== "manual" && status >= 300 && status < 400 && answer.headers.get("location") !== null) {
      answer.giveUp()
      if (redirect === "error") throw new TypeError(`${url.origin} answered with a redirect`)
      return globalThis.fetch(href, init)
    }
    const text = () => readWhole(answer, answerMaximum)
    return { status, headers: answer.headers, text, redirected: false, url: href } as object as Response
  }

  return (url, init) => (isPlainNode() ? ask(url, init) : globalThis.fetch(url, init))
}
