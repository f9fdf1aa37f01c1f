import { createHash, randomBytes, randomUUID } from "node:crypto"
import { once } from "node:events"
import { readFile, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import type { Browser } from "playwright-core"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, type TestContext, vi } from "vitest"
import { createRouteHandler, createSluice, type FileRouter } from "../../adapters/node.ts"
import { SluiceApi } from "../../src/api.ts"
import { generateUploader } from "../../src/client.node.ts"
import { encodeToken } from "../../src/protocol.ts"
import { launchChromium } from "../browser/chromium.ts"
import { bundleDoors } from "../client/bundle-doors.ts"
import { skipLacking } from "../skip-lacking.ts"
import { hasCommand, proxies } from "./proxies.ts"
import { setUpProxy } from "./set-up-proxy.ts"

/* A real nginx whose `client_max_body_size` is 1 MiB, as it is where nobody has changed it. */

const MiB = 1024 * 1024
const size = 5 * MiB + 12_345

const limit = ["client_max_body_size 0;", "client_max_body_size 1m;"] as const

interface Wishes {
  readonly flags?: ReadonlyArray<string>
  readonly changes?: ReadonlyArray<readonly [from: string, to: string]>
}

/** An app beside an ingest behind that nginx, and what nginx has answered to PUTs so far. */
const setUp = async (context: TestContext, { flags = [], changes = [] }: Wishes = {}) => {
  if (!hasCommand("nginx")) skipLacking(context, "there is no nginx: apt-get install nginx")
  const { start } = proxies.find(({ name }) => name === "nginx")!
  const made = await setUpProxy(start, "root", { flags, changes: [limit, ...changes] })
  const f = createSluice()
  const router = { any: f({ blob: { maxFileSize: "64MB" } }).onUploadComplete(() => "kept") } satisfies FileRouter
  const pages = new Map<string, { readonly type: string; readonly body: string }>()
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  onTestFinished(() => void server.close())
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const url = `${origin}/api/sluice`
  const token = encodeToken({ ...made.token, ingestUrl: made.url })
  const handle = createRouteHandler({ router, token, callbackUrl: url, isDev: false })
  server.on("request", (request, response) => {
    const page = pages.get(request.url!)
    if (page === undefined) return void handle(request, response)
    response.writeHead(200, { "content-type": page.type }).end(page.body)
  })
  /* nginx writes a request into its log after it was answered: once a later one stands there, all before do. */
  const readPuts = async () => {
    const mark = `/${randomUUID()}`
    await (await fetch(`${made.url}${mark}`)).arrayBuffer()
    const log = await vi.waitFor(async () => {
      const text = await readFile(join(made.folder, "logs/sluice.log"), "utf8")
      expect(text).toContain(mark)
      return text
    })
    return [...log.matchAll(/"PUT [^"]*" (\d{3})/g)].map(([, status]) => status)
  }
  return { ...made, router, origin, url, token, pages, readPuts }
}

const bytes = new Uint8Array(randomBytes(size))
const fileHash = createHash("sha256").update(bytes).digest("hex")

/** 5 pieces of 1 MiB, and the rest. */
const pieces = ["409", "409", "409", "409", "409", "200"]

describe("behind nginx with a limit of 1 MiB, files of 5 MiB are kept whole:", () => {
  it("those of the client in Node, refused three times for the first and never for the next", async (context) => {
    const { url, router, readPuts } = await setUp(context)
    const { uploadFiles } = generateUploader<typeof router>({ url, retry: { attempts: 1 } })
    for (const name of ["a", "b"]) {
      const [outcome] = await uploadFiles("any", { files: [new File([bytes], name)] })
      expect(outcome).toMatchObject({ status: "done", fileHash, serverData: "kept" })
    }
    // 4, 2, then 1 MiB.
    expect(await readPuts()).toEqual(["413", "413", "413", ...pieces, ...pieces])
  })

  it("those of the server API, from a path and from a stream", async (context) => {
    const { folder, token, readPuts } = await setUp(context)
    await writeFile(join(folder, "file"), bytes)
    const api = new SluiceApi({ token })
    const stream = (start: number) => new Blob([bytes]).slice(start).stream()
    const results = await api.uploadFiles([{ path: join(folder, "file") }, { stream, size, name: "stream" }], {
      retry: { attempts: 1 },
      concurrency: 1,
    })
    expect(results).toMatchObject([{ data: { fileHash } }, { data: { fileHash } }])
    expect(await readPuts()).toEqual(["413", "413", "413", ...pieces, ...pieces])
  })

  it("none is refused where the ingest says the limit, once it was heard", async (context) => {
    const { url, router, readPuts } = await setUp(context, { flags: ["--largest-append", "1MB"] })
    const { uploadFiles } = generateUploader<typeof router>({ url, retry: { attempts: 1 } })
    await uploadFiles("any", { files: [new File(["small"], "first")] })
    const [outcome] = await uploadFiles("any", { files: [new File([bytes], "a")] })
    expect(outcome).toMatchObject({ status: "done", fileHash })
    expect(await readPuts()).toEqual(["200", ...pieces])
  })

  describe("those of a page on another origin, which cannot read nginx's answer,", () => {
    let browser: Browser
    let script: string
    beforeAll(async () => {
      browser = await launchChromium()
      script = await bundleDoors(["client"], "sluice")
    })
    afterAll(() => browser?.close())

    const uploadFromPage = async (
      { origin, pages }: Awaited<ReturnType<typeof setUp>>,
      names: ReadonlyArray<string>,
    ) => {
      pages.set("/", { type: "text/html", body: `<link rel="icon" href="data:,"><script src="/client.js"></script>` })
      pages.set("/client.js", { type: "text/javascript", body: script })
      const page = await browser.newPage()
      onTestFinished(() => page.close())
      await page.goto(`${origin}/`)
      return page.evaluate(
        async ({ names, size }) => {
          const uploader = window.sluice.generateUploader({ retry: { delay: 1 } })
          let largest = 0
          let counted = 0
          let hasFallen = false
          const outcomes = []
          for (const name of names) {
            const content = new Uint8Array(size).map((_, index) => index % 251)
            const file = new File([content], name)
            largest = 0
            const [outcome] = await uploader.uploadFiles("any", {
              files: [file],
              onUploadProgress: ({ loaded, delta }: { loaded: number; delta: number }) => {
                hasFallen ||= loaded < largest
                largest = loaded
                counted += delta
              },
            })
            outcomes.push(outcome?.status === "done" ? outcome.fileHash : outcome?.error.message)
          }
          return { outcomes, counted, hasFallen }
        },
        { names, size },
      )
    }
    const hash = createHash("sha256")
      .update(new Uint8Array(size).map((_, index) => index % 251))
      .digest("hex")

    it("by pieces that grow until one is refused; the next file begins with what got through", async (context) => {
      const made = await setUp(context)
      const { outcomes, counted, hasFallen } = await uploadFromPage(made, ["a", "b"])
      expect(outcomes).toEqual([hash, hash])
      expect({ counted, hasFallen }).toEqual({ counted: 2 * size, hasFallen: false })
      const puts = await made.readPuts()
      // 64, 128, 256, 512 KiB and 1 MiB got through, 2 MiB did not.
      expect(puts.slice(0, 8)).toEqual(["413", "413", "409", "409", "409", "409", "409", "413"])
      expect(puts.slice(-6)).toEqual(pieces)
    })

    it("at once where the ingest says the limit, which HEAD tells after the first refusal", async (context) => {
      const made = await setUp(context, { flags: ["--largest-append", "1MB"] })
      const { outcomes } = await uploadFromPage(made, ["a", "b"])
      expect(outcomes).toEqual([hash, hash])
      expect(await made.readPuts()).toEqual(["413", ...pieces, ...pieces])
    })

    it("at once where nginx lets pages read its answer, as docs/deploying.md shows it", async (context) => {
      const docs = await readFile(join(import.meta.dirname, "../../docs/deploying.md"), "utf8")
      const block = /```nginx\n(# Pages of other origins[\s\S]*?)```/.exec(docs)![1]!
      const made = await setUp(context, { changes: [["  location / {", `${block}\n  location / {`]] })
      const { outcomes } = await uploadFromPage(made, ["a", "b"])
      expect(outcomes).toEqual([hash, hash])
      expect(await made.readPuts()).toEqual(["413", "413", "413", ...pieces, ...pieces])
    })
  })
})
