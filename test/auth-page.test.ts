import { generateKeyPairSync, sign } from "node:crypto"
import { readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { encode } from "next-auth/jwt"
import { unstable_doesMiddlewareMatch } from "next/experimental/testing/server.js"
import { NextRequest } from "next/server.js"
import { getMigrations } from "better-auth/db/migration"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { toNodeListener } from "../adapters/node.ts"
import { createIngest, createMemoryBlobStore, createMemoryCatalog } from "../src/ingest.ts"
import { encodeToken } from "../src/protocol.ts"
import { generateUploader } from "../src/client.ts"
import { createRouteHandler, type FileRouter } from "../src/server.ts"
import { type Block, findTypeErrors, readBlocks } from "./code-blocks.ts"
import { type ImportedBlocks, writeBlocks } from "./import-blocks.ts"
import { handlerOf, presigned, refused, renewRequest, uploadRequest } from "./route/call-app.ts"
import { useMockIngest } from "./route/mock-ingest.ts"
import { useConsoleLines } from "./route/console-lines.ts"

const blocks = readBlocks(await readFile(join(import.meta.dirname, "../docs/auth.md"), "utf8"))
const shared = blocks.filter(({ heading }) => ["Who may upload, who may read", "Who may read"].includes(heading))

/** The router with one library's way to find the user. */
const appOf = (library: string): ReadonlyArray<Pick<Block, "path" | "code">> => [
  ...shared,
  ...blocks
    .filter(({ heading }) => heading === library)
    .map(({ path, code }) => ({ path: path.replace("-by-token", ""), code })),
]
const libraries = ["better-auth", "Auth.js", "Auth.js in other frameworks", "A cookie of your own", "Clerk"]

const pdf = { name: "a.pdf", size: 5, type: "application/pdf" }
const headersOf = (cookie: string) => ({ headers: { "content-type": "application/json", cookie } })

it("every block of the page belongs to an app that type-checks", async () => {
  const apps = libraries.flatMap((library) =>
    appOf(library).map(({ path, code }) => [`${library}/${path}`, code] as const),
  )
  expect(new Set(apps.map(([, code]) => code)).size).toBe(blocks.length)
  expect(await findTypeErrors(new Map(apps))).toEqual([])
})

describe("better-auth, from the sign-up to the private file", () => {
  let app: ImportedBlocks
  let handleUpload: (request: Request) => Promise<Response>
  let readDocument: (request: Request, key: string) => Promise<Response>
  let cookies: ReadonlyArray<string>
  const servers: Array<ReturnType<typeof createServer>> = []
  const database = join(tmpdir(), `sluice-auth-${process.pid}.db`)

  const listen = async (handle: (request: Request) => Promise<Response>) => {
    const server = createServer(toNodeListener(handle))
    servers.push(server)
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  beforeAll(async () => {
    const ingestUrl = await listen((request) => ingest.fetch(request))
    const token = encodeToken({ apiKey: "sk_test_of_auth", appId: "auth", regions: ["local"], ingestUrl })
    const ingest = createIngest({
      token,
      url: ingestUrl,
      store: createMemoryBlobStore(),
      catalog: createMemoryCatalog(),
      logLevel: "None",
    })
    vi.stubEnv("SLUICE_TOKEN", token)
    vi.stubEnv("AUTH_DATABASE", database)
    vi.stubEnv("BETTER_AUTH_SECRET", "a secret of this test, and of nothing else")
    vi.stubEnv("BETTER_AUTH_URL", "http://127.0.0.1")
    app = await writeBlocks(appOf("better-auth"))
    const { auth } = (await app.load("auth.ts")) as {
      auth: {
        options: Parameters<typeof getMigrations>[0]
        api: { signUpEmail: (call: object) => Promise<Response> }
      }
    }
    await (await getMigrations(auth.options)).runMigrations()
    const signUp = async (name: string) => {
      const body = { name, email: `${name}@example.com`, password: "correct horse battery" }
      const response = await auth.api.signUpEmail({ body, asResponse: true })
      return response.headers
        .getSetCookie()
        .map((cookie) => cookie.split(";")[0])
        .join("; ")
    }
    cookies = [await signUp("ada"), await signUp("bob")]
    const router = (await app.load("router.ts"))["router"] as FileRouter
    handleUpload = createRouteHandler({ router, logLevel: "None", isDev: false })
    readDocument = (await app.load("read-document.ts"))["readDocument"] as typeof readDocument
  })
  afterAll(async () => {
    vi.unstubAllEnvs()
    for (const server of servers) server.close().closeAllConnections()
    await app.remove()
    await rm(database, { force: true })
  })

  const upload = async (cookie: string) => {
    const url = await listen(handleUpload)
    const { uploadFiles } = generateUploader<any>({ url, headers: { cookie }, retry: { attempts: 0 } })
    const files = [new File(["%PDF-"], "a.pdf", { type: "application/pdf" })]
    const [outcome] = await uploadFiles("document", { files })
    return outcome!
  }
  const read = (key: string, cookie: string) =>
    readDocument(new Request("http://app.test/documents", { headers: { cookie } }), key)

  it("lets those upload who are signed in, and their files be read by them alone", async () => {
    const [ada = "", bob = ""] = cookies
    const outcome = await upload(ada)
    expect(outcome).toMatchObject({ status: "done", serverData: { key: expect.any(String) } })
    const { key, url } = outcome as { key: string; url: string }
    expect((await fetch(url)).status).toBe(403)
    const answer = await read(key, ada)
    expect(answer.status).toBe(302)
    expect(await (await fetch(answer.headers.get("location")!)).text()).toBe("%PDF-")
    expect((await read(key, bob)).status).toBe(404)
    expect((await read(key, "")).status).toBe(404)
  })

  it("refuses who is not signed in, or made the cookie up", async () => {
    const forged = cookies[0]!.replace(/.{8}$/, "AAAAAAAA")
    for (const cookie of ["", forged])
      expect(await upload(cookie)).toMatchObject({
        status: "failed",
        error: { code: "FORBIDDEN", detail: "Sign in first." },
      })
  })
})

describe("sessions that are a cookie", () => {
  const ingest = useMockIngest()
  useConsoleLines()

  /** Lets in who has the cookie, refuses who has none or a broken one, and renews for its owner alone. */
  const tryCookies = async (library: string, cookieOf: (user: string, app: ImportedBlocks) => Promise<string>) => {
    const app = await writeBlocks(appOf(library))
    try {
      const handle = handlerOf((await app.load("router.ts"))["router"] as FileRouter)
      const ask = (cookie: string) => handle(uploadRequest("document", { files: [pdf] }, headersOf(cookie)))
      const [ada, bob] = [await cookieOf("ada", app), await cookieOf("bob", app)]
      const [{ url } = { url: "" }] = await presigned(await ask(ada))
      expect(JSON.parse(ingest.registrations[0]!.text).metadata).toEqual({ userId: "ada" })
      await refused(await ask(""), "FORBIDDEN", 403)
      await refused(await ask(`${ada.slice(0, -8)}AAAAAAAA`), "FORBIDDEN", 403)
      const renew = (cookie: string) => {
        ingest.answerQuery(() => Response.json({ registrations: [{ metadata: { userId: "ada" } }], files: [0] }))
        const request = renewRequest("document", { urls: [url] })
        request.headers.set("cookie", cookie)
        return handle(request)
      }
      await presigned(await renew(ada))
      expect((await refused(await renew(bob), "FORBIDDEN", 403)).detail).toContain("somebody else's")
    } finally {
      vi.unstubAllEnvs()
      await app.remove()
    }
  }

  it("of Auth.js", async () => {
    const secret = "a secret of this test, and of nothing else"
    vi.stubEnv("AUTH_SECRET", secret)
    const salt = "authjs.session-token"
    await tryCookies("Auth.js in other frameworks", async (sub) => {
      const token = await encode({ token: { sub }, secret, salt })
      return `${salt}=${token}`
    })
  })

  it("of one's own", async () => {
    await tryCookies("A cookie of your own", async (user, app) => {
      const { saveSession } = (await app.load("sessions.ts")) as {
        saveSession: (session: string, userId: string) => Promise<void>
      }
      const session = `session-of-${user}-0123456789abcdef`
      await saveSession(session, user)
      return `theme=dark; session=${session}`
    })
  })

  it("of Clerk", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
    const origin = "http://app.test"
    vi.stubEnv("CLERK_PUBLISHABLE_KEY", `pk_live_${btoa("clerk.app.test$")}`)
    vi.stubEnv("CLERK_SECRET_KEY", "sk_live_of_this_test")
    vi.stubEnv("CLERK_JWT_KEY", publicKey.export({ type: "spki", format: "pem" }) as string)
    vi.stubEnv("APP_ORIGIN", origin)
    const encodePart = (part: object) => Buffer.from(JSON.stringify(part)).toString("base64url")
    await tryCookies("Clerk", async (sub) => {
      const now = Math.floor(Date.now() / 1000)
      const claims = {
        sub,
        sid: "sess_1",
        azp: origin,
        iss: "https://clerk.app.test",
        iat: now - 5,
        nbf: now - 5,
        exp: now + 60,
      }
      const signed = `${encodePart({ alg: "RS256", typ: "JWT", kid: "ins_1" })}.${encodePart(claims)}`
      const signature = sign("RSA-SHA256", Buffer.from(signed), privateKey).toString("base64url")
      return `__client_uat=${now - 10}; __session=${signed}.${signature}`
    })
  })
})

describe("proxy.ts in front of the upload route", () => {
  const matcherOf = (heading: string) => {
    const { code } = blocks.find((block) => block.heading === heading && block.path === "proxy.ts")!
    return JSON.parse(/matcher: (\[.*\])/.exec(code)![1]!) as Array<string>
  }

  it.each(["Auth.js", "A cookie of your own"])("lets callbacks through, and no page: %s", (heading) => {
    const matches = (url: string) => unstable_doesMiddlewareMatch({ config: { matcher: matcherOf(heading) }, url })
    expect(matches("/api/sluice")).toBe(false)
    expect(matches("/api/sluice?slug=document")).toBe(false)
    for (const url of ["/", "/documents/abc", "/api/others"]) expect(matches(url), url).toBe(true)
  })

  it("sends those without a cookie of one's own to the login, which is not sent on", async () => {
    const app = await writeBlocks(appOf("A cookie of your own"))
    try {
      const proxy = (await app.load("proxy.ts"))["proxy"] as (request: NextRequest) => Response
      const ask = (cookie: string) => proxy(new NextRequest("http://app.test/documents", { headers: { cookie } }))
      expect(ask("").headers.get("location")).toBe("http://app.test/login")
      expect(ask("session=1").headers.get("location")).toBeNull()
    } finally {
      await app.remove()
    }
    const config = { matcher: matcherOf("A cookie of your own") }
    expect(unstable_doesMiddlewareMatch({ config, url: "/login" })).toBe(false)
  })
})
