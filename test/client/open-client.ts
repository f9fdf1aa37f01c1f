import type { Page } from "playwright-core"
import { type Peer, startPeer } from "./peer.ts"

/**
 * Opens a page that has loaded the client, on the origin of a peer that is its app and its ingest.
 *
 * @param script as `bundleDoors` makes it
 * @param body   the page's own markup
 */
export const openClient = async (page: Page, script: string, body = ""): Promise<Peer> => {
  const peer = await startPeer()
  const html = `<!doctype html><link rel="icon" href="data:,">${body}<script src="/client.js"></script>`
  peer.serve("/", "text/html", html)
  peer.serve("/client.js", "text/javascript", script)
  await page.goto(`${peer.origin}/`)
  return peer
}
