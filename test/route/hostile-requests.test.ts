import fc from "fast-check"
import { expect, test } from "vitest"
import { createSluice, defineAdapter } from "../../src/server.ts"
import { appUrl, grantOf, handlerOf, type Problem, problemOf } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"
import { hookRequest } from "./signed-event.ts"

const ingest = useMockIngest()
const { lines } = useConsoleLines()

const f = createSluice()
const router = { a: f({ blob: { maxFileCount: 5, maxFileSize: "1TB" } }).onUploadComplete(() => 1) }
const handle = handlerOf(router)

/** 200, or a problem that is the caller's fault and says so in a line or two. */
const isAnswered = async (response: Response): Promise<Problem | undefined> => {
  if (response.status === 200) return undefined
  const problem = await problemOf(response)
  expect(problem.status).toBeGreaterThanOrEqual(400)
  expect(problem.status).toBeLessThan(500)
  expect(problem.detail.length).toBeLessThan(5000)
  return problem
}

const anyFile = fc.record(
  {
    name: fc.oneof(fc.string({ unit: "binary", maxLength: 40 }), fc.anything()),
    size: fc.oneof(fc.nat(), fc.double(), fc.constant("1")),
    type: fc.oneof(fc.constantFrom("", "image", "image/png", "a/b;c=d"), fc.string({ unit: "binary", maxLength: 40 })),
  },
  { requiredKeys: ["name"] },
)
const anyBody = fc.oneof(
  fc.json(),
  fc.string({ unit: "binary" }),
  fc
    .record({ files: fc.oneof(fc.array(anyFile, { maxLength: 7 }), fc.anything()), input: fc.jsonValue() })
    .map((body) => {
      try {
        return JSON.stringify(body) ?? ""
      } catch {
        return ""
      }
    }),
  fc.record({ urls: fc.array(fc.string({ unit: "binary" })) }).map((body) => JSON.stringify(body)),
)

test("whatever a client sends, the handler answers, and blames nobody but the client", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom("upload", "renew", "callback", "error", "__proto__"),
      fc.oneof({ weight: 5, arbitrary: fc.constant("a") }, { weight: 1, arbitrary: fc.string({ unit: "binary" }) }),
      anyBody,
      async (action, slug, body) => {
        const query = new URLSearchParams({ actionType: action, slug })
        const headers: Record<string, string> =
          action === "callback" || action === "error" ? { "sluice-hook": action, "x-sluice-signature": "x" } : {}
        await isAnswered(await handle(new Request(`${appUrl}?${query}`, { method: "POST", body, headers })))
      },
    ),
    { numRuns: 400 },
  )
  expect(ingest.results).toEqual([])
  expect(lines).toEqual([])
})

test("whatever names, sizes and types are taken, the URLs grant exactly those", async () => {
  const file = fc.record({
    name: fc
      .string({ unit: "binary", minLength: 1, maxLength: 60 })
      .filter((name) => !name.includes("\0") && name.isWellFormed()),
    size: fc.nat(),
    type: fc.constantFrom("image/png", "x-y/z+w", "Text/Plain; charset=utf-8"),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(file, { minLength: 1, maxLength: 5 }), async (files) => {
      const body = JSON.stringify({ files })
      const response = await handle(new Request(`${appUrl}?actionType=upload&slug=a`, { method: "POST", body }))
      expect(response.status).toBe(200)
      const uploads = (await response.json()) as ReadonlyArray<{ url: string; name: string; key: string }>
      expect(uploads.map(({ name }) => name)).toEqual(files.map(({ name }) => name))
      for (const [i, { url, key }] of uploads.entries()) {
        const { name, size } = files[i]!
        expect(await grantOf(url)).toMatchObject({ name, size, key, slug: "a" })
      }
    }),
    { numRuns: 60 },
  )
})

/** As signed for the route, where it is an object at all. */
const signedForRoute = (body: string): string => {
  try {
    const json: unknown = JSON.parse(body)
    return typeof json === "object" && json !== null ? JSON.stringify({ ...json, slug: "a" }) : body
  } catch {
    return body
  }
}

test("whatever a signed callback holds, the answer is never the app's fault", async () => {
  await fc.assert(
    fc.asyncProperty(anyBody, fc.constantFrom("callback", "error"), async (body, hook) => {
      const signed = await isAnswered(await handle(hookRequest(signedForRoute(body), { hook })))
      expect(signed?.code).toMatch(/^(BAD_REQUEST|INVALID_SIGNATURE)$/)
      const unnamed = await isAnswered(await handle(hookRequest(body, { hook })))
      expect(unnamed?.code).toMatch(/^(BAD_REQUEST|INVALID_SIGNATURE)$/)
    }),
    { numRuns: 150 },
  )
  expect(ingest.results).toEqual([])
})

test("a request whose framework made an address of whatever the client calls a host is the client's fault", async () => {
  const { createRouteHandler } = defineAdapter<[Request], { readonly req: Request }>({
    name: "odd",
    request: (request) => new Proxy(request, { get: (_, name) => (name === "url" ? "http://a:99999/" : undefined) }),
    native: (req) => ({ req }),
  })
  const response = await createRouteHandler({ router, logLevel: "All" })(new Request(appUrl))
  expect(await isAnswered(response)).toMatchObject({ code: "BAD_REQUEST", status: 400 })
  expect(lines).toEqual([])
})
