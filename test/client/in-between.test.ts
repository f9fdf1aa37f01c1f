import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { generateUploader, type TypedFileRouter } from "../../src/client.ts"
import { listen } from "../ingest/circle.ts"
import { type Peer, startPeer } from "./peer.ts"

let peer: Peer
beforeEach(async () => {
  peer = await startPeer()
})
afterEach(() => peer.close())

const nginx = (status: number, title: string) => ({
  status,
  body: `<html>\r\n<head><title>${status} ${title}</title></head>\r\n<body><hr><center>nginx/1.29.0</center></body></html>`,
  headers: { "content-type": "text/html", server: "nginx" },
})
const cloudflare = {
  status: 524,
  body: "<!DOCTYPE html><title>A timeout occurred | example.com</title><p>Cloudflare Ray ID: 1</p>",
  headers: { "content-type": "text/html; charset=UTF-8", server: "cloudflare" },
}
/** A load balancer of AWS. */
const balancer = {
  status: 503,
  body: "<html><head><title>503 Service Temporarily Unavailable</title></head></html>",
  headers: { "content-type": "text/html", server: "awselb/2.0" },
}
const portal = {
  status: 200,
  body: "<!doctype html><title>Free Wi-Fi</title><form>Accept</form>",
  headers: { "content-type": "text/html" },
}

/** Uploads one file, with two tries at most. */
const fail = async () => {
  const [outcome] = await generateUploader<TypedFileRouter>({
    url: peer.url,
    retry: { delay: 1, attempts: 2 },
  }).uploadFiles("any", { files: [new File(["abc"], "a")] })
  if (outcome?.status !== "failed") throw new Error(`The upload ended ${outcome?.status}.`)
  const { error } = outcome
  expect(JSON.stringify([error, error.message, error.data, String(error.cause)])).not.toMatch(/<|Ray ID|Wi-Fi/)
  return error
}

describe("in front of the ingest", () => {
  test("a proxy's limit is named, and not run against again", async () => {
    peer.fail("PUT", "a", nginx(413, "Request Entity Too Large"))
    expect(await fail()).toMatchObject({
      code: "INVALID_CONFIG",
      status: 413,
      detail:
        "A proxy in front of the ingest (nginx) refuses bodies of 3 bytes. Files are cut into pieces of no less than 64 KiB: raise the proxy's limit (nginx: client_max_body_size 0).",
    })
    expect(peer.trace("a")).toEqual(["PUT bytes=0-"])
  })

  test.each([
    ["nginx, 502", nginx(502, "Bad Gateway")],
    ["nginx, 504", nginx(504, "Gateway Time-out")],
    ["Cloudflare", cloudflare],
    ["a load balancer", balancer],
  ])("%s: it is named, and tried again", async (_, answer) => {
    peer.fail("PUT", "a", answer, answer)
    const detail = `The ingest, or a proxy in front of it, answered ${answer.status} without an explanation.`
    expect(await fail()).toMatchObject({ code: "INGEST_UNAVAILABLE", status: answer.status, detail })
    expect(peer.trace("a")).toEqual(["PUT bytes=0-", "HEAD", "PUT bytes=0-"])
  })

  test("a page that calls itself a success is none", async () => {
    peer.fail("PUT", "a", portal)
    expect(await fail()).toMatchObject({
      code: "INVALID_CONFIG",
      detail: expect.stringContaining("The answer for the ingest does not fit the request."),
    })
    expect(peer.trace("a")).toEqual(["PUT bytes=0-"])
  })
})

describe("in front of the app", () => {
  const posts = () => peer.seen.filter(({ at }) => at === "app").length

  test("a proxy's limit is named, and not run against again", async () => {
    peer.fail("POST", "any", nginx(413, "Request Entity Too Large"))
    expect(await fail()).toMatchObject({ code: "INVALID_CONFIG", status: 413 })
    expect(posts()).toBe(1)
  })

  test.each([
    ["nginx, 502", nginx(502, "Bad Gateway")],
    ["Cloudflare", cloudflare],
    ["a load balancer", balancer],
  ])("%s: it is named, and tried again", async (_, answer) => {
    peer.fail("POST", "any", answer, answer)
    const detail = `The app, or a proxy in front of it, answered ${answer.status} without an explanation.`
    expect(await fail()).toMatchObject({ code: "INTERNAL_ERROR", status: answer.status, detail })
    expect(posts()).toBe(2)
  })

  test("a page that calls itself a success is none", async () => {
    peer.fail("POST", "any", portal)
    expect(await fail()).toMatchObject({
      code: "INVALID_CONFIG",
      detail: expect.stringContaining("does not fit the request"),
    })
  })

  test.each(["there", "not there"])(
    "a redirect to a login that is %s is named by where it leads, without its query",
    async (is) => {
      if (is === "there") peer.serve("/login", "text/html", "<h1>Sign in</h1>")
      peer.fail("POST", "any", { status: 302, headers: { location: "/login?from=/api&secret=1" } })
      const { code, detail } = await fail()
      expect({ code, detail }).toEqual({
        code: "INVALID_CONFIG",
        detail: `The answer for the app (${peer.origin}/login) does not fit the request. Check its URL and any proxy.`,
      })
    },
  )

  test("a redirect to a page that takes no POST is told as one", async () => {
    const login = await listen((request, response) => {
      request.resume()
      response.writeHead(405).end()
    })
    peer.fail("POST", "any", { status: 307, headers: { location: `${login}/login` } })
    expect(await fail()).toMatchObject({
      code: "INVALID_CONFIG",
      detail: expect.stringContaining(`The answer for the app (${login}/login) does not fit the request.`),
    })
  })
})
