import { createServer, type RequestListener } from "node:http"
import express5 from "express"
// @ts-expect-error Its types are those of Express 5, as far as they are used here.
import untyped from "express4"
import { fastify } from "fastify"
import { describe, expect, it, vi } from "vitest"
import * as express from "../../adapters/express.ts"
import * as node from "../../adapters/node.ts"
import * as fastifyAdapter from "../../adapters/fastify.ts"
import { createFileKey, names } from "../../src/protocol.ts"
import { listen, onEnd } from "../adapters/node/servers.ts"
import { apiKey, encodedAppId, signer, token } from "../ingest/circle.ts"
import { type RunningIngest, startRealIngest } from "./running-ingest.ts"

/** The app of its token is that of `circle.ts`. */
const startIngestProcess = () => startRealIngest(["--log-level", "Error"], { token })

const shapes: ReadonlyArray<(depth: number) => string> = [
  (depth) => "[".repeat(depth) + "]".repeat(depth),
  (depth) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`,
  (depth) => `${'[{"a":'.repeat(depth / 2)}1${"}]".repeat(depth / 2)}`,
]

/** Above what a stack takes and below it, and as deep as the body may be long. */
const depths = [600, 10_000, 100_000]

const json = { "content-type": "application/json" }

const post = (url: string, body: string, headers: Record<string, string> = {}) =>
  fetch(url, { method: "POST", headers: { ...json, ...headers }, body })

const optionsFor = ({ url }: RunningIngest) => ({
  token,
  ingestUrl: url,
  logLevel: "None" as const,
})

const query = (action: string) => `${names.action.type}=${action}&${names.action.slug}=note`

const express4 = untyped as typeof express5

/** Apps whose metadata is what the client has sent, which goes on to the ingest. */
const apps: Readonly<Record<string, (options: ReturnType<typeof optionsFor>) => Promise<RequestListener>>> = {
  "node:http": async (options) => {
    const f = node.createSluice()
    const router = {
      note: f({ blob: {} })
        .input(anything)
        .middleware(({ input }) => ({ input: input as never }))
        .onUploadComplete(({ metadata }) => metadata),
    }
    return node.createRouteHandler({ router, ...options })
  },
  ...Object.fromEntries(
    [express4, express5].map((create, i) => [
      `Express ${i + 4}, behind express.json()`,
      async (options: ReturnType<typeof optionsFor>) => {
        const f = express.createSluice()
        const router = {
          note: f({ blob: {} })
            .input(anything)
            .middleware(({ input }) => ({ input: input as never }))
            .onUploadComplete(() => null),
        }
        const app = create().use(create.json({ limit: "5mb" }))
        return app.use("/", express.createRouteHandler({ router, ...options })) as RequestListener
      },
    ]),
  ),
  Fastify: async (options) => {
    const f = fastifyAdapter.createSluice()
    const router = {
      note: f({ blob: {} })
        .input(anything)
        .middleware(({ input }) => ({ input: input as never }))
        .onUploadComplete(() => null),
    }
    const app = fastify()
    await app.register(fastifyAdapter.createRouteHandler({ router, ...options }))
    await app.ready()
    return (req, res) => app.routing(req, res)
  },
}

/** A Standard Schema that lets everything pass. */
const anything = { "~standard": { version: 1, vendor: "test", validate: (value: unknown) => ({ value }) } } as const

describe("JSON nested deeper than a stack is high", () => {
  it("is a 400 of the ingest, wherever it takes JSON", async () => {
    const { url, child, ended } = await startIngestProcess()
    const key = createFileKey(encodedAppId)
    const callback = `"callbackUrl":"http://127.0.0.1:4/","callbackSlug":"note"`
    for (const depth of depths) {
      for (const shape of shapes) {
        const deep = shape(depth)
        for (const [path, body] of [
          [names.path.register, `{"fileKeys":["${key}"],${callback},"metadata":${deep}}`],
          [names.path.register, `{"fileKeys":${deep},${callback},"metadata":1}`],
          [names.path.register, deep],
          [names.path.callbackResult, `{"fileKey":"${key}","callbackData":${deep}}`],
          [names.path.callbackResult, deep],
          [`${names.path.api}/listFiles`, `{"limit":${deep}}`],
          [`${names.path.api}/deleteFiles`, deep],
          [`${names.path.api}/renameFiles`, `{"updates":[${deep}]}`],
        ] as const) {
          const response = await post(`${url}/${path}`, body, { [names.header.apiKey]: apiKey })
          const problem = await response.json()
          expect([path, depth, response.status, problem]).toMatchObject([path, depth, 400, { code: "BAD_REQUEST" }])
          expect(problem.detail.length).toBeLessThan(500)
        }
      }
    }
    child.kill("SIGKILL")
    expect((await ended).stderr).toBe("")
  })

  it.each(Object.keys(apps))("is a 400 of the app, and its user code sees nothing of it: %s", async (name) => {
    const print = vi.spyOn(console, "error").mockImplementation(() => {})
    onEnd(() => print.mockRestore())
    const ingest = await startIngestProcess()
    const port = await listen(createServer(await apps[name]!(optionsFor(ingest))))
    const url = `http://127.0.0.1:${port}/`
    const files = `"files":[{"name":"a.txt","size":3,"type":"text/plain"}]`
    for (const depth of [101, ...depths]) {
      for (const shape of shapes) {
        const deep = shape(depth)
        for (const [action, body] of [
          ["upload", `{${files},"input":${deep}}`],
          ["upload", `{"files":${deep}}`],
          ["upload", `{"files":[${deep}]}`],
          ["upload", `{${files},"unknown":${deep}}`],
          ["renew", `{"urls":${deep}}`],
          ["renew", `{"urls":[],"input":${deep}}`],
        ] as const) {
          const response = await post(`${url}?${query(action)}`, body)
          expect([action, depth, response.status, await response.json()]).toMatchObject([
            action,
            depth,
            400,
            { code: "BAD_REQUEST" },
          ])
        }
      }
    }
    // As deep as it may be goes through app and ingest.
    const taken = await post(`${url}?${query("upload")}`, `{${files},"input":${shapes[0]!(99)}}`)
    expect([taken.status, await taken.json()]).toMatchObject([200, [{ name: "a.txt" }]])
    expect(print.mock.calls).toEqual([])
  })

  it("is a 400 in a signed callback, and what is allowed reaches the user code", async () => {
    const ingest = await startIngestProcess()
    const handle = await apps["node:http"]!(optionsFor(ingest))
    const port = await listen(createServer(handle))
    const callBack = async (metadata: string) => {
      const body = `{"id":"evt_1","sentAt":${Date.now()},"attempt":1,"status":"uploaded","origin":"${ingest.url}","slug":"note","metadata":${metadata},"file":{"key":"${createFileKey(encodedAppId)}","name":"a","size":1,"type":"a/b","customId":null,"url":"${ingest.url}/f/x","fileHash":"${"0".repeat(64)}","uploadedAt":1}}`
      return post(`http://127.0.0.1:${port}/?${names.action.slug}=note`, body, {
        [names.header.hook]: "callback",
        [names.header.signature]: await signer.sign(body),
      })
    }
    for (const depth of depths) {
      const response = await callBack(shapes[0]!(depth))
      expect([response.status, await response.json()]).toMatchObject([400, { code: "BAD_REQUEST" }])
    }
    // Its result went to the ingest, which does not know the file.
    const response = await callBack(shapes[0]!(498))
    expect([response.status, await response.json()]).toMatchObject([503, { code: "INGEST_UNAVAILABLE" }])
  })
})
