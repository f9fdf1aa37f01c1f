import { describe, expect, it } from "vitest"
import type { ContentDisposition, PresignedUpload } from "../../src/protocol.ts"
import { createSluice } from "../../src/server.ts"
import { useWindow } from "../browser/use-window.ts"
import { pixel } from "../browser/pixel.ts"
import { putRaw } from "../ingest/circle.ts"
import { startApp } from "./app-with-ingest.ts"
import { wellFormedTypes } from "./well-formed-types.ts"

const f = createSluice()

/** As HTML and as any dialect of XML: what makes a page of it finds its title. */
const page = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>a page</title></head><body>Sign in here</body></html>`

const window = useWindow()

/** Uploads the page as each type by a route; gives the types that Chromium shows as a page. */
const findShown = async (types: ReadonlyArray<string>, contentDisposition?: ContentDisposition) => {
  const limits = { maxFileCount: types.length, ...(contentDisposition && { contentDisposition }) }
  const { ask, ingest } = await startApp({ a: f({ blob: limits }).onUploadComplete(() => 1) })
  const answer = await ask(types.map((type, i) => ({ name: `${i}`, size: page.length, type })))
  const uploads = (await answer.json()) as ReadonlyArray<PresignedUpload>
  const opened = await window().newPage()
  const shown: Array<string> = []
  for (const [i, { key, url }] of uploads.entries()) {
    const { status } = await putRaw(url, page)
    // A page that is called a picture, a film or the like.
    if (status === 415) continue
    expect(status, types[i]).toBe(200)
    const response = await opened.goto(`${ingest.url}/f/${key}`).catch((error: Error) => {
      if (!/Download is starting|ERR_ABORTED|ERR_INVALID_SIGNED_EXCHANGE/.test(error.message)) throw error
      return null
    })
    if (response !== null && (await opened.title()) === "a page") shown.push(types[i]!)
  }
  await opened.close()
  return shown
}

describe("a route that says nothing of how its files are shown", { timeout: 120_000 }, () => {
  it("lets no uploaded file be shown as a page, whatever its type", async () => {
    expect(await findShown(wellFormedTypes)).toEqual([])
  })

  it("shows pages where it asks for inline", async () => {
    const shown = await findShown(wellFormedTypes, "inline")
    expect(shown).toEqual(expect.arrayContaining(["text/html", "application/xhtml+xml", "text/xml", "application/xml"]))
  })

  it.each([
    ["text/html", "attachment"],
    ["image/svg+xml", "attachment"],
    ["text/xml", "attachment"],
    ["application/rss+xml", "attachment"],
    ["text/rdf", "attachment"],
    ["text/plain", "inline"],
    ["application/zip", "inline"],
    ["image/png", "inline"],
    ["font/woff2", "inline"],
  ])("has %s sent as %s", async (type, disposition) => {
    const bytes = type === "image/png" ? pixel : new TextEncoder().encode(page)
    const { ask, ingest } = await startApp({ a: f({ blob: {} }).onUploadComplete(() => 1) })
    const [{ key, url }] = (await (await ask([{ name: "a", size: bytes.length, type }])).json()) as [PresignedUpload]
    expect((await putRaw(url, bytes)).status).toBe(200)
    const { headers } = await fetch(`${ingest.url}/f/${key}`)
    expect(headers.get("content-disposition")?.split(";")[0]).toBe(disposition)
  })
})
