import type { Incoming } from "./incoming.ts"

/** What our servers answer. The Fetch API's door makes a `Response` of it, the bridge to Node writes it as it is. */
export interface Answer {
  readonly status: number
  /** By names in small letters. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array> | null
}

/** Answers requests, without the classes of the Fetch API. Never rejects. */
export type Respond = (incoming: Incoming) => Promise<Answer>

/** What a header's value cannot have (RFC 9110 §5.5): the check of `Headers`, which no longer sees them. */
const unsendable = /[^\t\x20-\x7e\x80-\xff]/

/** Fails: throws `TypeError` on a header that HTTP cannot carry. */
export const checkHeaders = (answer: Answer): Answer => {
  for (const name in answer.headers) {
    if (unsendable.test(answer.headers[name]!)) throw new TypeError(`The header ${name} of an answer cannot be sent.`)
  }
  return answer
}

/** Makes an answer of JSON. */
export const toJsonAnswer = (value: unknown, headers?: Readonly<Record<string, string>>): Answer => ({
  status: 200,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(value),
})

export const toResponse = ({ status, headers, body }: Answer): Response =>
  new Response(body as BodyInit | null, { status, headers })

/** A handler of the Fetch API, with the way around its classes for servers that speak without them. */
export interface FetchHandler {
  (request: Request): Promise<Response>
  readonly respond: Respond
}
