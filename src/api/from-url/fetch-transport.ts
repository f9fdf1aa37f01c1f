import type { RemoteAnswer, Transport } from "./remote-answer.ts"

const nothing = async function* (): AsyncGenerator<Uint8Array> {}

/**
 * Requests by `fetch`, for runtimes without Node's modules (workerd, edge). They do not let the address of a name be
 * seen before the connection is made, so only what the URL itself says has been checked.
 */
export const createFetchTransport =
  (fetch: typeof globalThis.fetch = globalThis.fetch): Transport =>
  async ({ url, headers, signal }) => {
    const { status, headers: received, body } = await fetch(url, { headers, signal, redirect: "manual" })
    const isDecoded = received.has("content-encoding")
    return { status, headers: received, body: (body as RemoteAnswer["body"] | null) ?? nothing(), isDecoded }
  }
