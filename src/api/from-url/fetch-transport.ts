import type { RemoteAnswer, Transport } from "./remote-answer.ts"

const nothing = async function* (): AsyncGenerator<Uint8Array> {}

/**
 * Sends requests with `fetch`, for runtimes without Node's modules (workerd, edge). These do not reveal the address of
 * a name before the connection is made, so only the URL itself has been checked.
 */
export const createFetchTransport =
  (fetch: typeof globalThis.fetch = globalThis.fetch): Transport =>
  async ({ url, headers, signal }) => {
    const { status, headers: received, body } = await fetch(url, { headers, signal, redirect: "manual" })
    const isDecoded = received.has("content-encoding")
    return { status, headers: received, body: (body as RemoteAnswer["body"] | null) ?? nothing(), isDecoded }
  }
