import type { Fetch } from "./reply.ts"

/**
 * Tells the ingest that nobody goes on with an upload. It is told once, also while the page is being left; where it does not
 * hear of it, it gives the upload up by itself when its URL has ended.
 *
 * Shape:  `DELETE url`.
 * Fails:  never.
 * Source: docs/protocol.md §10.
 */
export const cancelStored = (fetch: Fetch, url: string): Promise<unknown> =>
  fetch(url, { method: "DELETE", keepalive: true }).catch(() => {})
