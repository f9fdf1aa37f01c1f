import { mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises"
import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, createServer as createTcpServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import express from "express"
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import * as expressAdapter from "../../adapters/express.ts"
import { toNodeListener } from "../../adapters/node/to-node-listener.ts"
import { explainUnreachable } from "../../src/cli/doctor/unreachable.ts"
import { describeDataFolder, toDeployment } from "../../src/cli/deployment/deployment.ts"
import { type Catalog, createIngest } from "../../src/ingest.ts"
import { noteStart } from "../../src/cli/deployment/started-with.ts"
import { createFileKey, encodeAppId, encodeToken } from "../../src/protocol.ts"
import { createRouteHandler, createSluice } from "../../src/server.ts"
import { startProgram } from "../adapters/apps/start-process.ts"
import { listen } from "../ingest/circle.ts"
import { runCommand } from "./run-command.ts"
import { attemptDelivery, openData, registerFiles, storeFile } from "./stored-files.ts"

let folder: string
let data: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-doctor-"))
  data = join(folder, "data")
})
afterEach(() => rm(folder, { recursive: true }))

const credentials = { apiKey: "sk_0123456789abcdef", appId: "app", regions: ["local"] as const }

/** Of tests that run the command many times, each run a process. */
const patient = { timeout: 60_000 }

/** Makes an app in a catalog, as its operator does. */
const createApp = (catalog: Catalog, id: string, callbackOrigins: ReadonlyArray<string> | null = null) =>
  catalog.createApp({ id, name: null, defaultAcl: null, quota: null, callbackOrigins, createdAt: 1 })

interface Check {
  readonly check: string
  readonly status: string
  readonly message: string
  readonly advice: string | null
  readonly help: string | null
}

const root = join(import.meta.dirname, "../..")

/** Anchors of the page that all help points to. */
const readAnchors = async (): Promise<ReadonlyArray<string>> => {
  const page = await readFile(join(root, "docs/troubleshooting.md"), "utf8")
  const headings = [...page.matchAll(/^### (.*)$/gm)].map(([, heading]) => heading!)
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\d _-]/gu, "")
      .replaceAll(" ", "-"),
  )
}

/** What the doctor finds, each check's status by its name. */
const examine = async (args: ReadonlyArray<string>, token?: string) => {
  const { code, stdout, stderr } = await runCommand(["doctor", "--json", "--data", data, ...args], {
    ...(token !== undefined && { env: { SLUICE_TOKEN: token } }),
  })
  expect(stderr).toBe("")
  const { ok, checks }: { ok: boolean; checks: ReadonlyArray<Check> } = JSON.parse(stdout)
  expect(ok).toBe(code === 0)
  const anchors = await readAnchors()
  for (const { status, help } of checks) {
    if (status === "ok") expect(help).toBeNull()
    else expect(anchors.map((anchor) => `node_modules/sluice/docs/troubleshooting.md#${anchor}`)).toContain(help)
  }
  return { code, stdout, checks, of: (name: string) => checks.find(({ check }) => check === name) }
}

/** A running ingest on the data folder, and an app with a route handler. */
const startAll = async () => {
  const open = openData(data)
  const answers = Promise.withResolvers<(request: Request) => Promise<Response>>()
  const url = await listen(toNodeListener(async (request) => (await answers.promise)(request)))
  const token = encodeToken({ ...credentials, regions: ["local"], ingestUrl: url })
  const ingest = createIngest({ token, url, store: open.store, catalog: open.catalog, logLevel: "None" })
  onTestFinished(ingest.close)
  answers.resolve(ingest.fetch)
  const router = { a: createSluice()({ text: {} }).onUploadComplete(() => null) }
  const app = await listen(toNodeListener(createRouteHandler({ router, token })))
  return { ...open, url, token, app }
}

describe("sluice doctor", () => {
  it("finds a set-up well, with exit code 0, and leaves it as it was", async () => {
    const { app, token, url } = await startAll()
    // The ingest makes its folders when it is first asked for something that needs them.
    await fetch(`${url}/ready`)
    const before = await readdir(data)
    const { code, checks } = await examine(["--callback-url", app], token)
    expect(checks.map(({ check, status }) => `${check}: ${status}`)).toEqual([
      "Node.js: ok",
      "Token: ok",
      "Data folder: ok",
      "Catalog: ok",
      "Access: ok",
      "Ingest: ok",
      "Clock: ok",
      "Deliveries: ok",
      "Callback URL: ok",
      "Callbacks: ok",
      "Uploads: ok",
    ])
    expect(code).toBe(0)
    expect(await readdir(data)).toEqual(before)
  })

  it("warns that it knows no callback URL, and does not call that well", async () => {
    const { token } = await startAll()
    const { code, of } = await examine([], token)
    expect(of("Callback URL")).toEqual({
      check: "Callback URL",
      status: "warning",
      message: expect.stringMatching(
        /^No upload has named one yet, so it was not checked whether .* can sign uploads\.$/,
      ),
      advice: expect.stringContaining("--callback-url https://"),
      help: "node_modules/sluice/docs/troubleshooting.md#doctor-callback-url",
    })
    expect({ code, callbacks: of("Callbacks"), uploads: of("Uploads") }).toEqual({ code: 0 })
  })

  it("points to where its checks and the codes of apps are explained", async () => {
    const { checks } = await examine([])
    expect(checks.map(({ help }) => help?.split("#")[1])).toEqual(
      expect.arrayContaining(["doctor-token", "doctor-data-folder", "doctor-callback-url"]),
    )
    const { stdout } = await runCommand(["doctor", "--data", data])
    expect(stdout).toMatch(/✗ Token .*\n.*\n +node_modules\/sluice\/docs\/troubleshooting\.md#doctor-token\n/)
    const router = { a: createSluice()({ text: {} }).onUploadComplete(() => null) }
    const app = await listen(toNodeListener(createRouteHandler({ router, token: "", logLevel: "None" })))
    const { of } = await examine(["--callback-url", app])
    expect((of("Uploads") ?? of("Callback URL"))?.help).toBe(
      "node_modules/sluice/docs/troubleshooting.md#invalid_token",
    )
  })

  it("says what to do where nothing is set up, and makes nothing", async () => {
    const { code, stdout } = await runCommand(["doctor", "--data", data])
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ Token +SLUICE_TOKEN is not set, and .*\n +Start `sluice dev`/)
    expect(stdout).toMatch(/! Data folder +.* does not exist yet\./)
    expect(await readdir(folder)).toEqual([])
  })

  it("tells an ingest of another app from none, and never prints the key", async () => {
    const { url } = await startAll()
    const other = encodeToken({ apiKey: "sk_other-secret", appId: "other", regions: ["local"], ingestUrl: url })
    const refused = await examine([], other)
    expect(refused.of("Ingest")).toMatchObject({ status: "failed", message: expect.stringContaining("refuses") })
    expect(refused.stdout).not.toContain("other-secret")
    const absent = await examine(["--url", "http://127.0.0.1:4711"], other)
    expect(absent.of("Ingest")).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/^No ingest answers at http:\/\/127\.0\.0\.1:4711: /),
    })
    const stranger = await listen((_request, response) => response.end("hello"))
    expect((await examine(["--url", stranger], other)).of("Ingest")).toMatchObject({
      status: "failed",
      message: `${stranger} answers with 200, which no Sluice ingest does.`,
    })
    const proxy = await listen((_request, response) => response.writeHead(503).end("busy"))
    expect((await examine(["--url", proxy], other)).of("Ingest")).toMatchObject({
      message: `${proxy} answers with 503, which no Sluice ingest does.`,
    })
    const detail = "The ingest cannot write to the catalog."
    const away = await listen((request, response) => {
      response.writeHead(503, { "content-type": "application/problem+json" })
      response.end(request.method === "HEAD" ? undefined : JSON.stringify({ code: "INGEST_UNAVAILABLE", detail }))
    })
    expect((await examine(["--url", away], other)).of("Ingest")).toMatchObject({
      status: "failed",
      message: `The ingest at ${away} takes nothing at the moment (INGEST_UNAVAILABLE). It says: ${detail}`,
    })
  })

  it("knows the token of a further app of the ingest, and says what to do with one that is none", async () => {
    const { url, catalog, app, token } = await startAll()
    await writeFile(join(data, "token"), `${token}\n`)
    await createApp(catalog, "acme")
    await catalog.addKey({ appId: "acme", apiKey: "sk_acme_0123456789", now: 1 })
    const tokenOf = (appId: string, apiKey: string) =>
      encodeToken({ apiKey, appId, regions: ["local"], ingestUrl: url })
    const known = await examine(["--callback-url", app], tokenOf("acme", "sk_acme_0123456789"))
    expect(known.of("Token")).toMatchObject({ status: "ok", message: expect.stringContaining("of the app acme") })
    expect(known.of("Ingest")).toMatchObject({ status: "ok" })
    expect(known.code).toBe(0)
    const wrongKey = await examine([], tokenOf("acme", "sk_acme_other"))
    expect(wrongKey.of("Token")).toMatchObject({
      status: "failed",
      advice: expect.stringContaining("sluice keys create acme"),
    })
    expect(wrongKey.of("Ingest")).toMatchObject({ status: "failed", advice: expect.stringContaining("sluice apps") })
    const unknown = await examine([], tokenOf("other", "sk_other"))
    expect(unknown.of("Token")).toMatchObject({
      status: "warning",
      advice: expect.stringContaining("sluice apps create other"),
    })
    expect([wrongKey, unknown].map(({ stdout }) => /sk_acme_other|sk_other/.test(stdout))).toEqual([false, false])
  })

  it("asks no other app than that of its token, whoever uploaded last: what it sends is signed with that one's key", async () => {
    const { url, catalog, app, token } = await startAll()
    await createApp(catalog, "acme")
    let asked = 0
    const stranger = await listen((_, res) => {
      asked++
      res.end("{}")
    })
    const upload = async (appId: string, id: string, callbackUrl: string) => {
      const key = createFileKey(encodeAppId(appId))
      const grant = { appId, key, slug: "a", name: "a.txt", size: 1, type: "text/plain", expires: Date.now() + 60_000 }
      const rest = { metadata: "1", callbackSlug: "a", awaitServerData: false, isDev: false, trace: null }
      const registration = { ...rest, callbackUrl }
      await catalog.begin({ grant, registration, origin: url, now: Date.now() })
      await catalog.commit({
        key,
        epoch: 1,
        fileHash: "",
        blobRef: null,
        now: Date.now(),
        eventId: `evt_${id}`,
        claimedUntil: null,
      })
    }
    await upload(credentials.appId, "own", app)
    await upload("acme", "other", stranger)
    const { of } = await examine([], token)
    expect(of("Callback URL")).toMatchObject({ status: "ok", message: expect.stringContaining(app) })
    expect(asked).toBe(0)
  })

  it("finds an app whose callback URL the ingest refuses, by its origin or its network", patient, async () => {
    const { url, catalog, token } = await startAll()
    await writeFile(join(data, "token"), `${token}\n`)
    await createApp(catalog, "acme", ["https://acme.example"])
    await catalog.addKey({ appId: "acme", apiKey: "sk_acme_0123456789", now: 1 })
    const ofAcme = encodeToken({ apiKey: "sk_acme_0123456789", appId: "acme", regions: ["local"], ingestUrl: url })
    const router = { a: createSluice()({ text: {} }).onUploadComplete(() => null) }
    const start = (isDev: boolean) => listen(toNodeListener(createRouteHandler({ router, token: ofAcme, isDev })))
    const app = await start(false)
    const uploads = async (...args: ReadonlyArray<string>) =>
      (await examine(["--callback-url", app, ...args], ofAcme)).of("Uploads")
    expect(await uploads("--callback-networks", "any")).toMatchObject({
      status: "failed",
      message: expect.stringContaining("callbacks of acme may go to https://acme.example only"),
      advice: expect.stringContaining(
        `\`sluice apps set acme --callback-origin https://acme.example --callback-origin ${app}\``,
      ),
    })
    await catalog.changeApp("acme", { callbackOrigins: [app] })
    expect(await uploads()).toMatchObject({
      status: "failed",
      message: expect.stringContaining("go to the public Internet only"),
      advice: expect.stringContaining("--callback-networks any"),
    })
    expect(await uploads("--callback-networks", "any")).toMatchObject({ status: "ok" })
    // As the ingest that runs on the folder has noted it.
    await noteStart(toDeployment({ data }), {
      callbackNetworks: "any",
      reads: "proxy",
      scanner: null,
      url: null,
      keyId: null,
    })
    expect(await uploads()).toMatchObject({ status: "ok" })
    expect(await uploads("--callback-networks", "public")).toMatchObject({ status: "failed" })
    // Nothing is sent there in development.
    expect((await examine(["--callback-url", await start(true)], ofAcme)).of("Uploads")).toMatchObject({ status: "ok" })
  })

  it("fails where no more is free than the reserve that the ingest was started with, and names it", async () => {
    await startAll()
    const note = { callbackNetworks: "any", reads: "proxy", scanner: null, url: null, keyId: null } as const
    await noteStart(toDeployment({ data }), { ...note, minimumFree: 2 ** 50 })
    expect((await examine([])).of("Data folder")).toMatchObject({
      status: "failed",
      message: expect.stringContaining("(1024TB are held in reserve)"),
      advice: expect.stringContaining("1024TB (--minimum-free)"),
    })
  })

  it("finds clocks apart", async () => {
    const { token } = await startAll()
    const server = await listen((_request, response) => {
      response.setHeader("date", new Date(Date.now() + 3_600_000).toUTCString())
      response.setHeader("content-type", "application/json").end("[]")
    })
    expect((await examine(["--callback-url", server], token)).of("Clock")).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/^differs by (60 min|1 h) from that of http/),
    })
  })

  it.each([
    ["a list of something else", `[{"id":1}]`, "not as a route handler does"],
    ["an empty list", "[]", "an empty list"],
    ["a page", "<html>", "not as a route handler does"],
  ])("fails where a URL that is wrong answers with %s", async (_what, body, text) => {
    const { token } = await startAll()
    const type = body.startsWith("<") ? "text/html" : "application/json"
    const wrong = await listen((_request, response) => response.setHeader("content-type", type).end(body))
    const { code, of } = await examine(["--callback-url", wrong], token)
    expect(code).toBe(1)
    expect(of("Callback URL")).toMatchObject({ status: "failed", message: expect.stringContaining(text) })
  })

  it("says in plain words why a server cannot be asked", async () => {
    const { token, app } = await startAll()
    const found = await examine(["--callback-url", app.replace("http:", "https:")], token)
    expect(found.of("Callback URL")).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/cannot be reached from here: it does not speak TLS there\.$/),
      advice: expect.stringContaining("http://"),
    })
    const explain = (code: string) =>
      explainUnreachable(
        "https://a.example",
        Object.assign(new Error("fetch failed"), { cause: { code, message: "x" } }),
      )
    expect(explain("DEPTH_ZERO_SELF_SIGNED_CERT")).toMatchObject({
      reason: "its certificate is self-signed",
      advice: expect.stringMatching(/NODE_EXTRA_CA_CERTS.*In development nothing has to be done/),
    })
    expect(explain("CERT_HAS_EXPIRED").reason).toBe("its certificate has expired")
    expect(explain("ENOTFOUND").reason).toBe("there is no host of that name")
  })

  it("finds an app that does not take callbacks", async () => {
    const { token } = await startAll()
    const login = await listen((_request, response) => response.writeHead(302, { location: "/login" }).end())
    expect((await examine(["--callback-url", login], token)).of("Callback URL")).toMatchObject({
      status: "failed",
      message: expect.stringContaining("302 (a redirect to /login)"),
    })
    const slash = await listen((_request, response) => response.writeHead(308, { location: "/api/sluice/" }).end())
    expect((await examine(["--callback-url", `${slash}/api/sluice`], token)).of("Callback URL")).toMatchObject({
      status: "failed",
      advice: `Set SLUICE_CALLBACK_URL to ${slash}/api/sluice/, and the option url of the page to /api/sluice/: callbacks follow no redirect.`,
    })
    const limiter = await listen((_request, response) => response.writeHead(429).end("Too many"))
    expect((await examine(["--callback-url", limiter], token)).of("Callback URL")).toMatchObject({
      status: "failed",
      advice: expect.stringMatching(/rate limiter counts the ingest as one client.*header sluice-hook/),
    })
    const gone = createServer().listen(0)
    gone.close()
    expect((await examine(["--callback-url", "http://127.0.0.1:9/"], token)).of("Callback URL")).toMatchObject({
      status: "failed",
    })
  })

  it(
    "finds a production app that is not told where it is called back, and one that lists its hosts well",
    patient,
    async () => {
      const { token, url } = await startAll()
      const start = async (env: Readonly<Record<string, string>>) => {
        const app = await startProgram([join(import.meta.dirname, "../security/apps/counting-app.ts"), "node"], {
          cwd: folder,
          env: { NODE_ENV: "production", SLUICE_TOKEN: token, SLUICE_INGEST_URL: url, ...env },
        })
        onTestFinished(app.close)
        return app.origin
      }
      const unset = await examine(["--callback-url", await start({})], token)
      expect(unset.of("Callback URL")).toMatchObject({ status: "ok" })
      expect(unset.of("Uploads")).toMatchObject({
        status: "failed",
        message: expect.stringContaining("does not sign uploads (INVALID_CONFIG)"),
        advice: expect.stringContaining("SLUICE_CALLBACK_URL"),
      })
      expect(unset.code).toBe(1)
      const listed = await examine(["--callback-url", await start({ SLUICE_ALLOWED_HOSTS: "127.0.0.1:*" })], token)
      expect(listed.of("Uploads")).toMatchObject({ status: "ok" })
      // A list without the app's own host, or without its port.
      for (const SLUICE_ALLOWED_HOSTS of ["app.example", "127.0.0.1"]) {
        const missed = await examine(["--callback-url", await start({ SLUICE_ALLOWED_HOSTS })], token)
        expect(missed.of("Uploads")).toMatchObject({
          status: "failed",
          message: expect.stringMatching(
            /go to 127\.0\.0\.1:\d+, which is not among the allowed hosts.*SLUICE_CALLBACK_URL/,
          ),
        })
        expect(missed.code).toBe(1)
      }
    },
  )

  it("speaks of a proxy only where one may be the reason that a host is refused", patient, async () => {
    const { token } = await startAll()
    const router = { a: createSluice()({ text: {} }).onUploadComplete(() => null) }
    const examineBehind = async (forwarded: (host: string) => string, options: object = {}) => {
      const configured = {
        router,
        token,
        allowedHosts: "127.0.0.1",
        logLevel: "None",
        isDev: false,
        ...options,
      } as const
      const handle = createRouteHandler(configured)
      const app = await listen(
        toNodeListener((request) => {
          const headers = new Headers(request.headers)
          headers.set("x-forwarded-host", forwarded(new URL(request.url).host))
          const { url, method, body } = request
          return handle(new Request(url, { method, headers, body, duplex: "half" } as RequestInit))
        }),
      )
      return (await examine(["--callback-url", app], token)).of("Uploads")?.message
    }
    expect(await examineBehind((host) => host)).toContain("allowed hosts (its port counts). Set")
    expect(await examineBehind((host) => host, { trustProxy: true })).toContain("allowed hosts (its port counts). Set")
    expect(await examineBehind(() => "app.example")).toContain(
      'counts; a proxy says "app.example", which is used only with',
    )
  })

  it("finds an app with a key that the ingest does not have, where the ingest has one app only", patient, async () => {
    const { url, catalog, app, token } = await startAll()
    const router = { a: createSluice()({ text: {} }).onUploadComplete(() => null) }
    const startWith = (apiKey: string) => {
      const key = encodeToken({ ...credentials, apiKey, regions: ["local"], ingestUrl: url })
      return listen(toNodeListener(createRouteHandler({ router, token: key })))
    }
    const strange = await startWith("sk_other-secret-1234")
    const wrong = await examine(["--callback-url", strange], token)
    expect(wrong.of("Uploads")).toMatchObject({
      status: "failed",
      message: expect.stringContaining(`has a key that the ingest at ${url} does not know`),
    })
    expect(wrong.code).toBe(1)
    await writeFile(join(data, "token"), `${token}\n`)
    await createApp(catalog, "app")
    for (const apiKey of [credentials.apiKey, "sk_second_0123456789"])
      await catalog.addKey({ appId: "app", apiKey, now: 1 })
    expect((await examine(["--callback-url", strange], token)).of("Uploads")).toMatchObject({ status: "failed" })
    const second = await startWith("sk_second_0123456789")
    expect((await examine(["--callback-url", second], token)).of("Uploads")).toMatchObject({ status: "ok" })
    // It may be the app's that is beside it.
    await createApp(catalog, "acme")
    expect((await examine(["--callback-url", strange], token)).of("Uploads")).toMatchObject({ status: "warning" })
    expect((await examine(["--callback-url", app], token)).of("Uploads")).toMatchObject({ status: "ok" })
  })

  it("does not call well what it cannot know: an app with another key", async () => {
    const { app, url } = await startAll()
    const other = encodeToken({ apiKey: "sk_other-secret", appId: "other", regions: ["local"], ingestUrl: url })
    const { of, stdout } = await examine(["--callback-url", app], other)
    expect(of("Callbacks")).toMatchObject({ status: "ok", message: expect.stringContaining("refuses unsigned ones") })
    expect(of("Uploads")).toMatchObject({
      status: "warning",
      message: expect.stringContaining("would have its callbacks sent: it has another key"),
    })
    expect(stdout).not.toContain("other-secret")
  })

  it("finds an app that signs uploads to another URL than the ingest's own", async () => {
    const { token, url } = await startAll()
    const router = { a: createSluice()({ text: {} }).onUploadComplete(() => null) }
    const ingestUrl = url.replace("127.0.0.1", "localhost")
    const app = await listen(toNodeListener(createRouteHandler({ router, token, ingestUrl })))
    const { of, code } = await examine(["--callback-url", app], token)
    expect(of("Ingest")).toMatchObject({ status: "ok" })
    expect(of("Uploads")).toMatchObject({
      status: "failed",
      message: expect.stringContaining(`uploads to ${ingestUrl}, but the ingest's URL is ${url}:`),
      advice: `Set SLUICE_INGEST_URL of the app to ${url}, or start the ingest with --url ${ingestUrl}.`,
    })
    expect(code).toBe(1)
    // Where the ingest is not known to be there, nothing is compared with it.
    expect(
      (await examine(["--callback-url", app, "--url", "http://127.0.0.1:4711"], token)).of("Uploads"),
    ).toMatchObject({
      status: "ok",
    })
  })

  it("does not call well an app that is called back at a handler which may be another's", async () => {
    const { app, token, url } = await startAll()
    const router = { a: createSluice()({ text: {} }).onUploadComplete(() => null) }
    const start = (callbackUrl: string, key = token) =>
      listen(toNodeListener(createRouteHandler({ router, token: key, callbackUrl })))
    const other = encodeToken({ apiKey: "sk_other-secret", appId: "other", regions: ["local"], ingestUrl: url })
    const stranger = await start("https://other.example", other)
    const astray = await examine(["--callback-url", await start(stranger)], token)
    expect(astray.of("Uploads")).toMatchObject({
      status: "warning",
      message: expect.stringContaining(
        `called back at ${stranger}: a handler answers there, which could not be proven`,
      ),
      advice: expect.stringContaining(`--callback-url ${stranger} as well`),
    })
    const same = await examine(["--callback-url", `${app}/?from=here`], token)
    expect(same.of("Uploads")).toMatchObject({ status: "ok" })
  })

  it("finds a missing trustProxy: the app would be called back where nothing answers", async () => {
    const { token } = await startAll()
    const router = { a: createSluice()({ text: {} }).onUploadComplete(() => null) }
    const gone = createServer().listen(0, "127.0.0.1")
    await once(gone, "listening")
    const { port } = gone.address() as AddressInfo
    gone.close()
    const start = async (options: object) => {
      const handle = createRouteHandler({ router, token, allowedHosts: "127.0.0.1:*", logLevel: "None", ...options })
      let own = ""
      // A proxy that hands on with the name of its own choice, and says which one the client used.
      own = await listen(
        toNodeListener((request) => {
          const headers = new Headers(request.headers)
          headers.set("x-forwarded-host", new URL(own).host)
          const { pathname, search } = new URL(request.url)
          const { method, body } = request
          const init = { method, headers, body, duplex: "half" } as RequestInit
          return handle(new Request(`http://127.0.0.1:${port}${pathname}${search}`, init))
        }),
      )
      return own
    }
    const missing = await examine(["--callback-url", await start({})], token)
    expect(missing.of("Uploads")).toMatchObject({
      status: "failed",
      message: expect.stringContaining(`called back at http://127.0.0.1:${port}/, which cannot be reached`),
    })
    const trusting = await examine(["--callback-url", await start({ trustProxy: true })], token)
    expect(trusting.of("Uploads")).toMatchObject({ status: "ok" })
  })

  it("finds a body parser in front of the handler, and a path that is not the handler's", async () => {
    const { token } = await startAll()
    const router = {
      a: expressAdapter
        .createSluice()({ text: {} })
        .onUploadComplete(() => null),
    }
    const handler = expressAdapter.createRouteHandler({ router, token })
    const parsed = await listen(express().use(express.json()).use("/api/sluice", handler))
    expect((await examine(["--callback-url", `${parsed}/api/sluice`], token)).of("Callbacks")).toMatchObject({
      status: "failed",
      message: expect.stringContaining("A body parser read this request"),
      advice: expect.stringContaining("express.json()"),
    })
    const configured = { router, token, callbackUrl: `${parsed}/api/sluices` }
    const wrong = await listen(express().use("/api/sluice", expressAdapter.createRouteHandler(configured)))
    expect((await examine(["--callback-url", `${wrong}/api/sluice`], token)).of("Uploads")).toMatchObject({
      status: "failed",
      message: expect.stringContaining("/api/sluices, which answers with 404"),
      advice: "Set SLUICE_CALLBACK_URL to the exact URL of the handler.",
    })
  })

  it("finds a callback URL that is none: the app says so in its log, with variable and value", async () => {
    const { token } = await startAll()
    const app = await startProgram([join(import.meta.dirname, "../security/apps/counting-app.ts"), "node"], {
      cwd: folder,
      env: { NODE_ENV: "production", SLUICE_TOKEN: token, SLUICE_CALLBACK_URL: "htps://user:secret@app.example/api" },
    })
    onTestFinished(app.close)
    expect((await examine(["--callback-url", app.origin], token)).of("Callback URL")).toMatchObject({
      status: "failed",
      message: expect.stringContaining("not set up right (INVALID_CONFIG)"),
      advice: expect.stringContaining("log"),
    })
    const answer = await (await fetch(app.origin)).text()
    expect(answer).toContain("INVALID_CONFIG")
    expect(answer).not.toMatch(/callbackUrl|SLUICE|app\.example/)
    await vi.waitFor(() => expect(app.output()).toMatch(/SLUICE_CALLBACK_URL is .*htps:\/\/…@app\.example\/api/))
    expect(app.output()).not.toContain("secret")
  })

  it("finds events that were given up, and asks the app of the newest upload", async () => {
    const open = openData(data)
    await registerFiles(open, ["one"], "http://127.0.0.1:9/api")
    await storeFile(open, "one")
    await attemptDelivery(open, "dead", { status: 500, answer: "no" })
    await open.catalog.close()
    const { code, of } = await examine([])
    expect(code).toBe(1)
    expect(of("Deliveries")).toMatchObject({
      status: "failed",
      message: "1 event was given up.",
      advice: expect.stringContaining("redeliver --dead"),
    })
    expect(of("Callback URL")).toMatchObject({
      message: expect.stringContaining("http://127.0.0.1:9/api"),
      advice: expect.stringContaining("where the newest upload is called back"),
    })
    const given = await examine(["--callback-url", "http://127.0.0.1:9/api"])
    expect(given.of("Callback URL")?.advice).not.toContain("newest upload")
  })

  it(
    "finds events of endpoints that were given up, and says nothing where there are no endpoints",
    patient,
    async () => {
      const open = openData(data)
      await storeFile(open, "one", { slug: undefined })
      expect((await examine([])).of("Endpoints")).toBeUndefined()
      const endpoint = { id: "ep_1", appId: "app", url: "http://a.example/", createdAt: 1, secret: "whsec_YQ==" }
      await open.catalog.createEndpoint({ ...endpoint, events: ["uploaded"] })
      expect((await examine([])).of("Endpoints")).toMatchObject({
        status: "ok",
        message: "it hears what becomes of files",
      })
      await storeFile(open, "two", { slug: undefined })
      const [due] = await open.catalog.claimEvents({ now: 1e13, claimedUntil: 2e13, limit: 9, roomOf: () => 9 })
      const attempt = {
        deliveryId: due!.id,
        attempt: 1,
        startedAt: 1,
        latency: 1,
        status: 500,
        error: "no",
        answer: null,
      }
      await open.catalog.recordEventAttempt({ ...attempt, outcome: "dead" })
      await open.catalog.close()
      const { code, of } = await examine([])
      expect(code).toBe(1)
      expect(of("Endpoints")).toMatchObject({
        status: "failed",
        message: "1 event of ep_1 was given up.",
        advice:
          "`sluice endpoints events ep_1 --status dead` lists it, and `sluice endpoints events <evt_…>` says why. " +
          "Mend the receiver, then `sluice endpoints redeliver --dead ep_1`.",
      })
      for (const command of ["events ep_1 --status dead", "redeliver --dead ep_1"]) {
        expect((await runCommand(["endpoints", ...command.split(" "), "--data", data])).code).toBe(0)
      }
    },
  )

  it("says whether the scanner answers, by flag and as the ingest has noted it", patient, async () => {
    const pings: Array<string> = []
    const start = async (answer: string | undefined) => {
      const server = createTcpServer((socket) => {
        socket.on("error", () => {})
        socket.on("data", (chunk) => {
          pings.push(chunk.toString())
          if (answer === undefined) socket.destroy()
          else socket.end(answer)
        })
      }).listen(0, "127.0.0.1")
      await once(server, "listening")
      onTestFinished(() => void server.close())
      return (server.address() as AddressInfo).port
    }
    await openData(data).catalog.close()
    expect((await examine([])).of("Scanner")).toBeUndefined()
    expect((await examine([])).of("Held files")).toBeUndefined()
    const clamd = `tcp://127.0.0.1:${await start("PONG\0")}`
    expect((await examine(["--scan-clamd", clamd])).of("Scanner")).toMatchObject({
      status: "ok",
      message: `clamd answers at ${clamd}`,
    })
    expect(pings).toEqual(["zPING\0"])
    const stranger = `tcp://127.0.0.1:${await start("HTTP/1.1 400 Bad Request\r\n\0")}`
    expect((await examine(["--scan-clamd", stranger])).of("Scanner")).toMatchObject({
      status: "failed",
      message: expect.stringContaining('answers "HTTP/1.1 400 Bad Request\\r\\n" to a ping'),
    })
    const gone = `unix:${join(folder, "none.sock")}`
    const away = await examine(["--scan-clamd", gone])
    expect(away.code).toBe(1)
    expect(away.of("Scanner")).toMatchObject({
      status: "failed",
      message: `No clamd answers at ${gone}: there is no socket of that name. Files that are held stay so until it answers.`,
    })

    pings.length = 0
    const port = await start(undefined)
    const url = `http://127.0.0.1:${port}/scan`
    const byUrl = await examine(["--scan-url", `${url}?key=hunter2`])
    expect(byUrl.of("Scanner")).toMatchObject({ status: "ok", message: expect.stringContaining(`at ${url};`) })
    expect(byUrl.stdout).not.toContain("hunter2")
    expect(pings).toEqual([])
    const noTls = await examine(["--scan-url", `https://127.0.0.1:${await start("no TLS here")}/scan`])
    expect(noTls.of("Scanner")).toMatchObject({
      status: "failed",
      message: expect.stringContaining("it does not speak TLS there"),
    })
    await noteStart(toDeployment({ data }), {
      callbackNetworks: "public",
      reads: "proxy",
      scanner: clamd,
      url: null,
      keyId: null,
    })
    expect((await examine([])).of("Scanner")).toMatchObject({ status: "ok", message: expect.stringContaining(clamd) })
    expect((await examine([])).of("Held files")).toMatchObject({ status: "ok", message: "no file waits for a verdict" })
  })

  it("says how many files wait for a verdict, and how long the oldest one has", patient, async () => {
    const open = openData(data)
    onTestFinished(() => open.catalog.close())
    await storeFile(open, "one", { slug: undefined }, "hello", { hold: true })
    await noteStart(toDeployment({ data }), {
      callbackNetworks: "public",
      reads: "proxy",
      scanner: "unix:/none.sock",
      url: null,
      keyId: null,
    })
    expect((await examine([])).of("Held files")).toMatchObject({
      status: "warning",
      message: expect.stringMatching(/^1 file has waited for a verdict for [\d.]+ d: one\.$/),
      advice: expect.stringContaining("The log of the ingest says why"),
    })
    await noteStart(toDeployment({ data }), {
      callbackNetworks: "public",
      reads: "proxy",
      scanner: null,
      url: null,
      keyId: null,
    })
    await storeFile(open, "two", { slug: undefined }, "hello", { hold: true })
    const byHand = await examine([])
    expect(byHand.of("Scanner")).toBeUndefined()
    expect(byHand.of("Held files")).toMatchObject({
      status: "warning",
      message: expect.stringMatching(/^2 files wait for a verdict, the oldest for [\d.]+ d: one\.$/),
      advice: expect.stringMatching(/No scanner is known.*sluice release <key…>/),
    })
  })

  it("says that events went to another URL than the app has, with the command that mends it", patient, async () => {
    // No ingest runs: it would send what is due.
    const open = openData(data)
    onTestFinished(() => open.catalog.close())
    const token = encodeToken({ ...credentials, regions: ["local"], ingestUrl: "http://127.0.0.1:9" })
    const router = { a: createSluice()({ text: {} }).onUploadComplete(() => null) }
    const handle = Promise.withResolvers<(request: Request) => Promise<Response>>()
    const right = `${await listen(toNodeListener(async (request) => (await handle.promise)(request)))}/api`
    handle.resolve(createRouteHandler({ router, token, callbackUrl: right, isDev: false }))
    const wrong = "http://127.0.0.1:9/api"
    for (const [key, callbackUrl] of [
      ["one", wrong],
      ["two", right],
    ] as const) {
      await registerFiles(open, [key], callbackUrl)
      await storeFile(open, key)
      await attemptDelivery(open, { retryAt: Date.now() + 3_600_000 }, { status: 500, answer: "no" })
    }
    const ask = async (...args: ReadonlyArray<string>) => (await examine(args, token)).of("Deliveries")
    const elsewhere = `1 of them went to ${wrong}, but the app is called back at ${right}.`
    expect(await ask("--callback-url", right)).toMatchObject({
      status: "warning",
      message: `2 events were refused or not answered so far, and will be tried again. ${elsewhere}`,
      advice: `If the former URL was wrong: \`sluice deliveries redeliver evt_one --to ${right}\`.`,
    })
    // Where no app says so nothing is known of it.
    const unknown = await ask("--callback-url", wrong)
    expect(unknown?.message).not.toContain("called back")
    await registerFiles(open, ["three"], wrong)
    await storeFile(open, "three")
    await attemptDelivery(open, "dead", { status: 404, answer: "no" })
    const found = await ask("--callback-url", right)
    expect(found).toMatchObject({
      status: "failed",
      message: `1 event was given up. ${elsewhere}`,
      advice: `If the former URL was wrong: \`sluice deliveries redeliver --dead --to ${right}\`.`,
    })
    const args = found!.advice!.match(/`sluice (.*)`/)![1]!.split(" ")
    expect((await runCommand([...args, "--data", data])).code).toBe(0)
    expect(await open.catalog.get("three")).toMatchObject({
      registration: { callbackUrl: right },
      delivery: { status: "pending" },
    })
  })

  it("finds a damaged catalog and a token that is none", async () => {
    const open = openData(data)
    await open.catalog.close()
    const { catalog, tokenFile } = describeDataFolder(data)
    const bytes = await readFile(catalog)
    await writeFile(catalog, Buffer.concat([bytes.subarray(0, 8192), Buffer.alloc(8192, 0xff), bytes.subarray(16_384)]))
    await writeFile(tokenFile, "nonsense")
    const { of } = await examine([])
    expect(of("Catalog")).toMatchObject({ status: "failed", message: expect.stringContaining("is damaged") })
    expect(of("Token")).toMatchObject({
      status: "failed",
      message: expect.stringContaining("holds no valid token"),
      advice: expect.stringContaining(`back into ${tokenFile}`),
    })
    expect((await examine([], "nonsense")).of("Token")).toMatchObject({
      status: "failed",
      message: expect.stringContaining("SLUICE_TOKEN is not valid"),
      advice: `Set SLUICE_TOKEN to the whole text of ${tokenFile}, or unset it and make a token with \`sluice keys create <app>\`.`,
    })
  })
})
