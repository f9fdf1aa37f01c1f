import type { Incoming } from "../../src/server.ts"
import { type Checked, checkRequest, hasNoBody } from "./check-request.ts"
import type { NodeRequest, NodeResponse } from "./node-message.ts"
import { hasBody, toBody } from "./request-body.ts"
import { makeRequest } from "./to-request.ts"

/**
 * The headers as they were sent, read where they are asked for. Node's own `req.headers` keeps only the first of some
 * that were sent twice, so that a proxy in front could have seen another one.
 */
class SentHeaders {
  readonly #raw: ReadonlyArray<string>
  constructor(raw: ReadonlyArray<string>) {
    this.#raw = raw
  }
  get(name: string): string | null {
    const raw = this.#raw
    const separator = name === "cookie" ? "; " : ", "
    let value: string | null = null
    for (let i = 0; i < raw.length; i += 2) {
      const sent = raw[i]!
      if (sent.length !== name.length || sent.toLowerCase() !== name) continue
      value = value === null ? raw[i + 1]! : value + separator + raw[i + 1]!
    }
    return value
  }
  has(name: string): boolean {
    return this.get(name) !== null
  }
}

class NodeIncoming implements Incoming {
  readonly method: string
  readonly url: string
  readonly headers: Incoming["headers"]
  readonly body: Incoming["body"]
  readonly bodyUsed = false
  #request: Request | undefined
  readonly #checked: Checked
  constructor(checked: Checked) {
    const { req, url } = checked
    this.#checked = checked
    this.method = req.method ?? "GET"
    this.url = url
    this.headers = new SentHeaders(req.rawHeaders)
    this.body = !hasNoBody(this.method) && hasBody(req) ? toBody(req) : null
  }
  toRequest(): Request {
    return (this.#request ??= makeRequest(this.#checked, { isObserved: true, isRead: this.body?.locked === true }))
  }
}

/**
 * What our servers read of a Node request, with its `Request` for those who ask for it. It costs a fraction of one.
 *
 * Its body is read with back-pressure and not touched before it is read. If a parser has already read it, the
 * parser's result is used, see `restoreBody`.
 *
 * Fails: as {@link checkRequest}.
 */
export const toIncoming = (req: NodeRequest, res?: NodeResponse): Incoming => {
  const checked = checkRequest(req, res)
  return checked.restored === undefined
    ? new NodeIncoming(checked)
    : makeRequest(checked, { isObserved: true, isRead: false })
}
