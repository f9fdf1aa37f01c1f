import { afterEach, beforeEach, expect, test } from "vitest"
import { generateUploader, type TypedFileRouter, type UploaderOptions } from "../../src/client.ts"
import { type Peer, startPeer } from "./peer.ts"

let peer: Peer
beforeEach(async () => {
  peer = await startPeer()
})
afterEach(() => peer.close())

const upload = (options: UploaderOptions, ...names: ReadonlyArray<string>) =>
  generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1 }, ...options }).uploadFiles("any", {
    files: names.map((name) => new File(["hello"], name)),
  })
const sent = () => peer.seen.map(({ method, headers }) => [method, headers.traceparent])

test("by default no request names a trace, so that none is preflighted for it", async () => {
  peer.fail("PUT", "a", { cutAfter: 2 })
  await upload({}, "a")
  expect(sent()).toEqual([
    ["POST", undefined],
    ["PUT", undefined],
    ["HEAD", undefined],
    ["PUT", undefined],
  ])
})

test("an upload's requests to the app and the ingest, repeated ones too, name the trace it was given", async () => {
  peer.fail("PUT", "a", { cutAfter: 2 })
  let asked = 0
  const traceparent = () => `00-${"a".repeat(32)}-${String(++asked).repeat(16)}-01`
  const first = `00-${"a".repeat(32)}-${"1".repeat(16)}-01`
  await upload({ traceparent }, "a")
  expect(sent()).toEqual([
    ["POST", first],
    ["PUT", first],
    ["HEAD", first],
    ["PUT", first],
  ])
  expect(asked).toBe(1)
})

test("an upload for which no trace is running names none", async () => {
  await upload({ traceparent: () => undefined }, "a")
  expect(sent()).toEqual([
    ["POST", undefined],
    ["PUT", undefined],
  ])
})
