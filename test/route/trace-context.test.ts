import { expect, test } from "vitest"
import { createSluice } from "../../src/server.ts"
import { handlerOf, png, presigned, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"
import { callbackEvent, hookRequest } from "./signed-event.ts"

const ingest = useMockIngest()
useConsoleLines()
const handle = handlerOf({ a: createSluice()({ image: {} }).onUploadComplete(() => 1) })

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
const traceOf = ({ headers }: { readonly headers: Headers }) => [headers.get("traceparent"), headers.get("tracestate")]

const upload = async (headers: Record<string, string>) => {
  const init = { headers: { "content-type": "application/json", ...headers } }
  await presigned(await handle(uploadRequest("a", { files: [png] }, init)))
  return traceOf(ingest.registrations[0]!)
}

test("the trace of an upload request goes on with the registration", async () => {
  expect(await upload({ traceparent, tracestate: "vendor=1" })).toEqual([traceparent, "vendor=1"])
})

test("the registration of an upload request without a trace names none", async () => {
  expect(await upload({})).toEqual([null, null])
})

test("what is no trace is not passed on", async () => {
  expect(await upload({ traceparent: "00-evil", tracestate: "vendor=1" })).toEqual([null, null])
})

test("the trace of a callback goes on with its result, also when the route's code fails", async () => {
  const failing = handlerOf({
    a: createSluice()({ image: {} }).onUploadComplete(() => {
      throw new Error("no")
    }),
  })
  for (const receive of [handle, failing]) {
    const request = hookRequest(callbackEvent())
    request.headers.set("traceparent", traceparent)
    await receive(request)
  }
  expect(ingest.results.map(traceOf)).toEqual([
    [traceparent, null],
    [traceparent, null],
  ])
})
