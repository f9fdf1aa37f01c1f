import { bodyOf } from "../../http/body-of.ts"
import type { RemoteAnswer, Transport } from "./remote-answer.ts"

const nothing = async function* (): AsyncGenerator<Uint8Array> {}

/**
 * Sends requests with `fetch`, for runtimes without Node's modules (workerd, edge). These do not reveal the address of
 * a name before the connection is made, so only the URL itself has been checked.
 */
export const createFetchTransport =
  (fetch: typeof globalThis.fetch = globalThis.fetch): Transport =>
  async ({ url, headers, signal }) => {
    const response = await fetch(url, { headers, signal, redirect: "manual" })
    const isDecoded = response.headers.has("content-encoding")
    const body = (bodyOf(response) as RemoteAnswer["body"] | null) ?? nothing()
    return { status: response.status, headers: response.headers, body, isDecoded }
  }
