import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { names } from "../../../src/protocol.ts"
import { signAnswer } from "../../../src/protocol/signing/signed-answer.ts"
import {
  answerWith,
  createGrant,
  eventually,
  listen,
  postResult,
  putRaw,
  type Received,
  register,
  signer,
  startApp,
} from "../../ingest/circle.ts"
import { codeOf, goOn, grantFile, startIngestOnDisk } from "./ingest-on-disk.ts"

const statusOfDelivery = async (ingest: Awaited<ReturnType<typeof startIngestOnDisk>>, key: string) =>
  (await ingest.catalog.get(key))?.delivery?.status

const idsOf = (received: ReadonlyArray<Received>) => new Set(received.map(({ event }) => event.id))

/** Answers the first callback in its own way, the others as a route handler does. */
const failFirst =
  (answer: (received: Received) => Promise<Response> | Response) => (received: Received, count: number) =>
    count === 1 ? answer(received) : answerWith("second")(received)

describe("an app that", () => {
  it("is down is called back when it is up again", async () => {
    const ingest = await startIngestOnDisk()
    const server = createServer().listen(0, "127.0.0.1")
    await new Promise((resolve) => server.once("listening", resolve))
    const { port } = server.address() as AddressInfo
    await new Promise((resolve) => server.close(resolve))
    const file = await grantFile(ingest.url, 1024, `http://127.0.0.1:${port}/`)
    expect(await codeOf(await putRaw(file.signed, file.content))).toBe("502 CALLBACK_FAILED")
    let called = 0
    const up = createServer((_request, response) => {
      called++
      response.end()
    }).listen(port, "127.0.0.1")
    onTestFinished(() => void up.close())
    await eventually(async () => (await statusOfDelivery(ingest, file.grant.key)) === "delivered")
    expect(called).toBe(1)
  })

  it("answers too late is called again, with the same id", async () => {
    const ingest = await startIngestOnDisk({ callbackTimeout: 100 })
    const app = await startApp(failFirst(() => new Promise<Response>(() => {})))
    const file = await grantFile(ingest.url, 1024, app.url)
    expect(await codeOf(await putRaw(file.signed, file.content))).toBe("502 CALLBACK_FAILED")
    expect((await goOn(file)).serverData).toBe("second")
    expect(app.received).toHaveLength(2)
    expect(idsOf(app.received).size).toBe(1)
  })

  it("answers 500 is called again, with the same id", async () => {
    const ingest = await startIngestOnDisk()
    const app = await startApp(failFirst(() => Response.json({ no: 1 }, { status: 500 })))
    const file = await grantFile(ingest.url, 1024, app.url)
    expect(await codeOf(await putRaw(file.signed, file.content))).toBe("502 CALLBACK_FAILED")
    expect((await goOn(file)).serverData).toBe("second")
    expect(idsOf(app.received).size).toBe(1)
  })

  it("answers 410 is never called again", async () => {
    const ingest = await startIngestOnDisk()
    const app = await startApp(failFirst(() => new Response(null, { status: 410 })))
    const file = await grantFile(ingest.url, 1024, app.url)
    expect(await codeOf(await putRaw(file.signed, file.content))).toBe("502 CALLBACK_FAILED")
    expect(await statusOfDelivery(ingest, file.grant.key)).toBe("dead")
    expect(await codeOf(await putRaw(file.signed, file.content))).toBe("502 CALLBACK_FAILED")
    await sleep(60)
    expect(app.received).toHaveLength(1)
  })

  it("redirects is not followed, and called again", async () => {
    const ingest = await startIngestOnDisk()
    const elsewhere = await startApp()
    const app = await startApp(failFirst(() => Response.redirect(elsewhere.url, 307)))
    const file = await grantFile(ingest.url, 1024, app.url)
    expect(await codeOf(await putRaw(file.signed, file.content))).toBe("502 CALLBACK_FAILED")
    expect((await goOn(file)).serverData).toBe("second")
    expect(elsewhere.received).toEqual([])
  })

  it.each([200, 500])("answers %i and never stops sending is cut off", async (status) => {
    const ingest = await startIngestOnDisk({ callbackTimeout: 300 })
    let sent = 0
    const isClosed = Promise.withResolvers<void>()
    const app = await listen((request, response) => {
      request.resume()
      response.writeHead(status).write('{"ok":true,')
      const send = () => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536))) sent += 65_536
      }
      response.on("drain", send).on("close", isClosed.resolve)
      send()
    })
    const file = await grantFile(ingest.url, 1024, app, false)
    expect(await codeOf(await putRaw(file.signed, file.content))).toBe("200")
    await isClosed.promise
    expect(sent).toBeLessThan(64 * 1024 * 1024)
    if (status === 200) {
      await eventually(async () => (await statusOfDelivery(ingest, file.grant.key)) === "delivered")
    }
  })

  it("answers 200 and posts no result leaves the client with a timeout; the file stays", async () => {
    const ingest = await startIngestOnDisk({ callbackWait: 100 })
    const app = await startApp()
    const file = await grantFile(ingest.url, 1024, app.url)
    expect(await codeOf(await putRaw(file.signed, file.content))).toBe("504 CALLBACK_TIMEOUT")
    await postResult(ingest.url, { fileKey: file.grant.key, callbackData: "late" })
    expect((await goOn(file)).serverData).toBe("late")
    expect(app.received).toHaveLength(1)
  })

  it("posts a result for another key changes nothing for this one", async () => {
    const ingest = await startIngestOnDisk({ callbackWait: 100 })
    const answers: Array<number> = []
    const app = await startApp(async () => {
      for (const fileKey of [createGrant().key, "anotherAppsKey1234567", `../${createGrant().key}`]) {
        answers.push((await postResult(ingest.url, { fileKey, callbackData: "not mine" })).status)
      }
      return new Response(null, { status: 200 })
    })
    const file = await grantFile(ingest.url, 1024, app.url)
    expect(await codeOf(await putRaw(file.signed, file.content))).toBe("504 CALLBACK_TIMEOUT")
    expect(answers).toEqual([404, 403, 403])
  })

  it("does not know the API key can neither register nor post a result", async () => {
    const ingest = await startIngestOnDisk({ callbackWait: 100 })
    const app = await startApp()
    const file = await grantFile(ingest.url, 1024, app.url)
    expect(
      (await register(ingest.url, { fileKeys: [file.grant.key], callbackUrl: "http://127.0.0.1:1/" }, "sk_x")).status,
    ).toBe(401)
    const forged = await fetch(`${ingest.url}/${names.path.callbackResult}`, {
      method: "POST",
      headers: { "content-type": "application/json", [names.header.apiKey]: "sk_x" },
      body: JSON.stringify({ fileKey: file.grant.key, callbackData: "forged" }),
    })
    expect(await codeOf(forged)).toBe("401 UNAUTHORIZED")
    expect(await codeOf(await putRaw(file.signed, file.content))).toBe("504 CALLBACK_TIMEOUT")
    expect(app.received).toHaveLength(1)
  })

  it("crashes between the callback and its result is called again, with the same id", async () => {
    const ingest = await startIngestOnDisk()
    const received: Array<string> = []
    const app = await listen((request, response) => {
      let body = ""
      request.setEncoding("utf8").on("data", (text: string) => (body += text))
      request.on("end", () => {
        received.push(JSON.parse(body).id)
        if (received.length === 1) return void request.socket.resetAndDestroy()
        void postResult(ingest.url, { fileKey: file.grant.key, callbackData: "second" }).then(() => response.end())
      })
    })
    const file = await grantFile(ingest.url, 1024, app)
    expect(await codeOf(await putRaw(file.signed, file.content))).toBe("502 CALLBACK_FAILED")
    expect((await goOn(file)).serverData).toBe("second")
    expect(received).toEqual([received[0], received[0]])
  })

  it("has its answer changed on the way is called again, with the same id, and posts", async () => {
    const ingest = await startIngestOnDisk()
    const answer = async ({ event }: Received) => {
      const text = JSON.stringify({ fileKey: file.grant.key, callbackData: "first" })
      const signature = await signAnswer(event, text, signer)
      return new Response(text.replace("first", "other"), { headers: { [names.header.signature]: signature } })
    }
    const app = await startApp(failFirst(answer))
    const file = await grantFile(ingest.url, 1024, app.url)
    expect(await codeOf(await putRaw(file.signed, file.content))).toBe("502 CALLBACK_FAILED")
    expect((await ingest.catalog.get(file.grant.key))?.result).toBeNull()
    expect((await goOn(file)).serverData).toBe("second")
    expect(app.received.map(({ headers }) => headers.get(names.header.accept))).toEqual(["result", null])
    expect(idsOf(app.received).size).toBe(1)
  })
})
