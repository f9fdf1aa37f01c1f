import { expect, test } from "vitest"
import { createSluice } from "../../src/server.ts"
import { handlerOf, png, presigned, refused, toRequest, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"

const ingest = useMockIngest()
useConsoleLines()

const f = createSluice()

const crossSite = (contentType: string) => ({ "sec-fetch-site": "cross-site", "content-type": contentType })

test.each(["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=a", ""])(
  "an upload that another site's form could have sent (%s) is refused before the middleware sees its cookies",
  async (contentType) => {
    const ran: Array<string> = []
    const handle = handlerOf({
      a: f({ image: {} })
        .middleware(() => void ran.push("middleware"))
        .onUploadComplete(() => 1),
    })
    const body = JSON.stringify({ files: [png] })
    const request = toRequest("?actionType=upload&slug=a", body, { headers: crossSite(contentType) })
    await refused(await handle(request), "FORBIDDEN", 403)
    expect(ran).toEqual([])
    expect(ingest.registrations).toEqual([])
  },
)

test("an upload across sites as JSON, which the browser asks CORS for, is taken", async () => {
  const handle = handlerOf({ a: f({ image: {} }).onUploadComplete(() => 1) })
  await presigned(await handle(uploadRequest("a", { files: [png] }, { headers: crossSite("application/json") })))
})
