import { expect, test } from "vitest"
import { createSluice, UploadError } from "../../src/server.ts"
import { handlerOf, png, refused, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"

useMockIngest()
const { linesWith } = useConsoleLines()

const f = createSluice()
const secret = "hunter2"

/** The one line that the log has of a middleware that throws this. */
const logOf = async (thrown: unknown) => {
  const route = f({ image: {} })
    .middleware(() => {
      throw thrown
    })
    .onUploadComplete(() => 1)
  const handle = handlerOf({ photos: route }, { logFormat: "json" })
  const { detail } = await refused(await handle(uploadRequest("photos", { files: [png] })), "ROUTE_FAILED", 500)
  const lines = linesWith("error", 'of route \\"photos\\" threw').map((line) => JSON.parse(line))
  expect(lines).toHaveLength(1)
  const { message, thrown: described, cause, id } = lines[0]
  expect(detail).toContain(id)
  expect(JSON.stringify(lines[0])).not.toContain(secret)
  return { message, thrown: described, cause }
}

/** As React Router makes it. */
const redirect = (location: string, status = 302) => new Response(null, { status, headers: { location } })
class Redirect {
  readonly status = 303
  readonly location: string
  constructor(location: string) {
    this.location = location
  }
}
const ofNext = Object.assign(new Error("NEXT_REDIRECT"), { digest: `NEXT_REDIRECT;replace;/login?t=${secret};307;` })

const signIn = (code = "UNAUTHORIZED") =>
  `Nobody follows it: throw new UploadError({ code: "${code}", message: "Sign in first." }) instead, and let the page go on from there.`

test.each([
  ["redirect of React Router", redirect(`/login?token=${secret}#${secret}`), "a redirect to /login (302)", signIn()],
  [
    "redirect to another origin",
    redirect(`https://me:${secret}@id.example/login?state=${secret}`, 307),
    "a redirect to https://id.example/login (307)",
    signIn(),
  ],
  ["redirect of SvelteKit", new Redirect(`/login?t=${secret}`), "a redirect to /login (303)", signIn()],
  ["redirect of Next.js", ofNext, "a redirect to /login (307)", signIn()],
  ["Response", new Response(secret, { status: 401 }), "an answer with status 401", signIn()],
  ["refusal", Response.json({ secret }, { status: 403 }), "an answer with status 403", signIn("FORBIDDEN")],
  [
    "error of SvelteKit",
    { status: 500, body: { message: secret } },
    "an answer with status 500",
    "Nobody reads it: throw an Error, or an UploadError with words for the user.",
  ],
])("a thrown %s is named in the log, with what to throw instead", async (_, thrown, what, advice) => {
  expect(await logOf(thrown)).toEqual({ message: `middleware of route "photos" threw ${what}. ${advice}` })
})

const unreadable = {
  get status() {
    throw new Error("no")
  },
}

/** Nothing may be asked of it, not even whether it is an error. */
const revoked = (() => {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
})()

test.each([
  ["a string", "not signed in", "a value that is no error", "not signed in"],
  ["a long string", "x".repeat(5000), "a value that is no error", `${"x".repeat(300)}…`],
  ["nothing", undefined, "a value that is no error", "undefined"],
  ["a number", 401n, "a value that is no error", "401"],
  ["a function", function login() {}, "a value that is no error", "function login"],
  [
    "an object, as some clients of databases do",
    { message: "no rows", code: "PGRST116", details: { password: secret }, token: secret },
    "an object that is no error",
    { type: "Object", message: "no rows", code: "PGRST116", others: "details, token" },
  ],
  ["an object without a prototype", Object.create(null), "an object that is no error", { type: "Object" }],
  ["an array", [secret], "an object that is no error", { type: "Array", others: "0" }],
  ["an object that cannot be read", unreadable, "a value that is no error", "an object that cannot be read"],
  ["a proxy that was revoked", revoked, "a value that is no error", "an object that cannot be read"],
])("the log says what there is to say of %s", async (_, thrown, what, described) => {
  expect(await logOf(thrown)).toEqual({ message: `middleware of route "photos" threw ${what}.`, thrown: described })
})

test("errors keep their stack, also those with a status", async () => {
  const { message, cause, thrown } = await logOf(Object.assign(new Error("the session store is away"), { status: 503 }))
  expect(message).toBe('middleware of route "photos" threw an error.')
  expect(cause).toMatch(/^Error: the session store is away\n +at /)
  expect(thrown).toBeUndefined()
})

const cycle: { self?: unknown } = {}
cycle.self = cycle

test.each([
  ["a BigInt", { left: 10n }],
  ["a cycle", cycle],
  ["a getter that throws", unreadable],
  ["nothing that can be read", revoked],
])(
  "an UploadError whose data has %s keeps its code, status and message, and the log says what is left out",
  async (_, data) => {
    const route = f({ image: {} })
      .middleware(() => {
        throw new UploadError({ code: "FORBIDDEN", message: "Your plan is full.", status: 402, data: data as never })
      })
      .onUploadComplete(() => 1)
    const answer = await handlerOf({ photos: route }, { logFormat: "text" })(uploadRequest("photos", { files: [png] }))
    const { detail, data: sent } = await refused(answer, "FORBIDDEN", 402)
    expect([detail, sent]).toEqual(["Your plan is full.", undefined])
    const message = 'middleware of route "photos" threw an UploadError whose data is no JSON: it is left out.'
    expect(linesWith("error", message)).toHaveLength(1)
  },
)

test.each([
  ["a code that is none", Object.assign(new UploadError("No."), { code: "NOPE" })],
  [
    "a message that cannot be read",
    Object.defineProperty(new UploadError("No."), "message", {
      get: () => {
        throw new Error("no")
      },
    }),
  ],
])("an UploadError with %s is no UploadError", async (_, thrown) => {
  const route = f({ image: {} })
    .middleware(() => {
      throw thrown
    })
    .onUploadComplete(() => 1)
  await refused(await handlerOf({ photos: route })(uploadRequest("photos", { files: [png] })), "ROUTE_FAILED", 500)
})

test("a long message of an UploadError is cut", async () => {
  const route = f({ image: {} })
    .middleware(() => {
      throw new UploadError("x".repeat(5000))
    })
    .onUploadComplete(() => 1)
  const { detail } = await refused(
    await handlerOf({ photos: route })(uploadRequest("photos", { files: [png] })),
    "FORBIDDEN",
    403,
  )
  expect(detail).toBe("x".repeat(4096))
})

test("what a schema and `.file()` return is read as their code: what throws is theirs", async () => {
  const schema = { "~standard": { version: 1, vendor: "x", validate: () => revoked } }
  const router = {
    input: f({ image: {} })
      .input(schema as never)
      .onUploadComplete(() => 1),
    file: f({ image: {} })
      .file(
        () =>
          ({
            get name() {
              throw new Error("no")
            },
          }) as never,
      )
      .onUploadComplete(() => 1),
  }
  for (const slug of ["input", "file"]) {
    await refused(await handlerOf(router)(uploadRequest(slug, { files: [png], input: 1 })), "ROUTE_FAILED", 500)
  }
})

test("an errorFormatter that throws a Response is told of, too", async () => {
  const errorFormatter = () => {
    throw redirect("/error")
  }
  const route = createSluice({ errorFormatter })({ image: {} })
    .middleware(() => {
      throw new UploadError("No.")
    })
    .onUploadComplete(() => 1)
  await refused(
    await handlerOf({ photos: route }, { logFormat: "text" })(uploadRequest("photos", { files: [png] })),
    "FORBIDDEN",
    403,
  )
  expect(linesWith("error", 'errorFormatter of route "photos" threw a redirect to /error (302).')).toHaveLength(1)
})
