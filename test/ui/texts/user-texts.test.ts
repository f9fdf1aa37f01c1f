import { afterEach, describe, expect, test, vi } from "vitest"
import { parseProblem } from "../../../src/protocol/errors/parse-problem.ts"
import { type ProblemCode, problems } from "../../../src/protocol.ts"
import { de } from "../../../src/texts/de.ts"
import { english } from "../../../src/ui/texts/english-texts.ts"
import { UploadError } from "../../../src/ui.ts"
import { readReply } from "../../../src/transfer/reply.ts"
import { tellOperator } from "../../../src/ui/diagnosis/tell-operator.ts"
import { createOutcomeReporter } from "../../../src/ui/controller/report-outcomes.ts"

afterEach(() => {
  vi.unstubAllEnvs()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/** Operators' words: no user of an app can do anything with them. */
const jargon =
  /SLUICE_|environment|token|route handler|`url`|JSON|signature|HTTP|GET|POST|nginx|proxy|callback|ingest|query|undefined|</i

/** What app, ingest or client say of each code, and what a user of the app reads in production. */
const table: ReadonlyArray<readonly [code: ProblemCode, operators: string, users: string]> = [
  ["MISSING_TOKEN", "Set the environment variable SLUICE_TOKEN.", "Uploads are not set up here. (MISSING_TOKEN)"],
  ["INVALID_TOKEN", "The token's apiKey is not one of the ingest's.", "Uploads are not set up here. (INVALID_TOKEN)"],
  ["INVALID_CONFIG", "Give SLUICE_CALLBACK_URL.", "Uploads are not set up here. (INVALID_CONFIG)"],
  ["ROUTE_NOT_FOUND", 'There is no file route "a".', "This page is out of date. Reload it."],
  ["METHOD_NOT_ALLOWED", "PATCH: POST uploads.", "Uploads are not set up here. (METHOD_NOT_ALLOWED)"],
  ["INVALID_SIGNATURE", "The signature does not match.", "Uploads are not set up here. (INVALID_SIGNATURE)"],
  ["INTERNAL_ERROR", "ECONNREFUSED", "Something went wrong on the server. Try again in a moment."],
  ["ROUTE_FAILED", "Its log has it under 0000.", "Something went wrong on the server."],
  ["INGEST_UNAVAILABLE", "The ingest is stopping.", "The storage cannot be reached. Try again in a moment."],
  ["RATE_LIMITED", "More than 16 requests.", "Too many uploads at once. Try again in a moment."],
  ["QUOTA_EXCEEDED", "limitBytes", "The storage is full. Delete something first."],
  ["CONTENT_MISMATCH", "Magic bytes of text/html.", "The content is not what the file name says. Choose another file."],
  ["EXPIRED_URL", "The upload URL has expired.", "This took too long. Choose the file again."],
  ["CALLBACK_FAILED", "The callback got 500.", "The file arrived, but could not be processed. Try again."],
  ["CALLBACK_TIMEOUT", "No answer to the callback.", "The file arrived, but is still being processed."],
  ["LOCKED", "Another request writes.", "The file is still being uploaded from elsewhere. Try again in a moment."],
  ["RANGE_MISMATCH", "Go on at 5.", "The upload was interrupted. Try again."],
  ["SIZE_MISMATCH", "The URL was signed for 1 KB.", "The file changed while it was uploaded. Choose it again."],
  ["DIGEST_MISMATCH", "SHA-256 is 00.", "The file was damaged on the way. Choose it again."],
  ["NETWORK_ERROR", "socket hang up", "The connection broke. Check it and try again."],
  // The app's own words, of its middleware, schema, limits, or the page's `onBeforeUploadBegin`: they are for the user.
  ...(
    [
      "BAD_REQUEST",
      "INVALID_INPUT",
      "TOO_FEW_FILES",
      "TOO_MANY_FILES",
      "UNAUTHORIZED",
      "FORBIDDEN",
      "NOT_FOUND",
      "FILE_TOO_LARGE",
      "FILE_TYPE_NOT_ALLOWED",
    ] as const
  ).map((code) => [code, "Only members may.", "Only members may."] as const),
  // The reason of whoever rejected it.
  ["REJECTED", "It shows somebody else.", "Rejected: It shows somebody else."],
]

test("the table has every code that can reach a component", () => {
  const codes = Object.keys(problems).filter((code) => !["ABORTED", "PAUSED"].includes(code))
  expect(table.map(([code]) => code).toSorted()).toEqual(codes.toSorted())
})

describe("in production", () => {
  test.each(table)("%s: users read what concerns them", (code, message, users) => {
    vi.stubEnv("NODE_ENV", "production")
    const text = english.error(new UploadError({ code, message }))
    expect(text).toBe(users)
    expect(text.replace(`(${code})`, "")).not.toMatch(jargon)
  })

  test.each([
    ["The file was rejected.", "The file was rejected."],
    ["The file was rejected: the scanner found X.", "Rejected: the scanner found X."],
    ["Turned \u202Eround.", "Rejected: Turned \uFFFDround."],
  ])("a rejection says its reason once: %s", (message, users) => {
    expect(english.error(new UploadError({ code: "REJECTED", message }))).toBe(users)
  })

  test("a proxy's limit is told as what it is to users", () => {
    vi.stubEnv("NODE_ENV", "production")
    expect(english.error(parseProblem(413, "<html>", "ingest"))).toBe("The file is too large for this server.")
    const cut = { code: "INVALID_CONFIG", detail: "A proxy in front of the ingest (nginx) refuses bodies of 3 bytes." }
    expect(english.error(parseProblem(413, JSON.stringify(cut), "ingest"))).toBe(
      "The file is too large for this server.",
    )
    // SvelteKit's BODY_SIZE_LIMIT, of which the route handler says so.
    const ours = { code: "INVALID_CONFIG", detail: "Uploads are not set up here. The server's log says more." }
    expect(english.error(parseProblem(413, JSON.stringify(ours), "app"))).toBe("Too many files at once. Choose fewer.")
    // The app is asked with an announcement, whatever the size of the files.
    expect(english.error(parseProblem(413, "", "app"))).toBe("Too many files at once. Choose fewer.")
  })

  test.each([
    [401, '{"message":"Your session has ended."}', "You are signed out. Sign in and try again."],
    [401, "<html>", "You are signed out. Sign in and try again."],
    [403, '{"error":"csrf"}', "The server refused this upload."],
    [400, '{"statusMessage":"Bad"}', "The server refused this upload."],
    [429, '{"message":"Slow down"}', "Too many uploads at once. Try again in a moment."],
  ])("what somebody in front of the app means by %d is said in the user's language: %s", (status, body, users) => {
    for (const mode of ["production", "development"]) {
      vi.stubEnv("NODE_ENV", mode)
      expect(english.error(parseProblem(status, body, "app"))).toBe(users)
    }
  })

  test.each(["app", "ingest"] as const)("no answer of something in front of the %s becomes jargon", (at) => {
    vi.stubEnv("NODE_ENV", "production")
    for (let status = 400; status < 600; status++) {
      const text = english.error(parseProblem(status, "<html>nginx</html>", at))
      expect(text.replace(`The ${at} answered`, "").replace(/\([A-Z_]+\)/, "")).not.toMatch(jargon)
    }
  })
})

describe("in development", () => {
  test.each([
    ["a bundler says so", "development", "www.example.com", true],
    ["a test runs", "test", "www.example.com", true],
    ["a production build is looked at on the same machine", "production", "localhost", false],
    ["there is no bundler, and the page comes from the same machine", undefined, "localhost", true],
    ["there is no bundler, and the page comes from the same machine by its number", undefined, "127.0.0.1", true],
    ["there is no bundler", undefined, "www.example.com", false],
    ["there is no bundler, and a name that is built like it", undefined, "localhost.example.com", false],
  ])("%s: the whole text or not", (_, mode, hostname, isWhole) => {
    vi.stubGlobal("location", { hostname })
    if (mode === undefined) vi.stubGlobal("process", undefined)
    else vi.stubEnv("NODE_ENV", mode)
    const text = english.error(new UploadError({ code: "MISSING_TOKEN", message: "Set SLUICE_TOKEN." }))
    expect(text).toBe(isWhole ? "Set SLUICE_TOKEN." : "Uploads are not set up here. (MISSING_TOKEN)")
  })

  test.each([english, de])("a route that is missing is told in the words for developers", (texts) => {
    vi.stubEnv("NODE_ENV", "development")
    const message = 'There is no file route "a".'
    expect(texts.error(new UploadError({ code: "ROUTE_NOT_FOUND", message }))).toBe(message)
  })
})

describe("of an answer in front of the app the console gets", () => {
  const url = "https://shop.example/api/sluice"
  const consoleOf = (error: UploadError) => {
    vi.stubEnv("NODE_ENV", "production")
    vi.stubGlobal("location", { href: "https://shop.example/page", hostname: "shop.example" })
    const written = vi.spyOn(console, "error").mockReturnValue()
    tellOperator(error)
    return written.mock.calls.flat().join("\n")
  }
  const said = (text: string) => `Sluice: UNAUTHORIZED: The app, or a proxy in front of it, answered 401.${text}`

  test.each([
    ['{"message":"Your session has ended."}', ' It said: "Your session has ended.".'],
    ['{"statusMessage":"No"}', ' It said: "No".'],
    ['{"error":{"message":"Inner"}}', ' It said: "Inner".'],
    ['{"title":"Two\\nlines"}', ' It said: "Two".'],
    ['{"message":["x"],"error":"Unauthorized"}', ' It said: "Unauthorized".'],
    [JSON.stringify({ error: "x".repeat(5000) }), ` It said: "${"x".repeat(200)}".`],
    ['{"message":{"message":{"message":"deep"}}}', ""],
    ["{}", ""],
  ])("its words, bounded: %s", (body, words) => {
    expect(consoleOf(parseProblem(401, body, "app"))).toBe(said(words))
  })

  test("what reads bodies there, where the announcement is too large", () => {
    expect(consoleOf(parseProblem(413, "", "app", url))).toMatch(
      /answered 413 without an explanation\. Not a file was too large.*express\.json.*BODY_SIZE_LIMIT/,
    )
  })

  test("that a base path belongs to the `url`, where there is no handler", () => {
    const line = consoleOf(parseProblem(404, "", "app", "/api/sluice"))
    expect(line).toMatch(
      /mounted at \/api\/sluice, and does it export GET and POST\? If the app has a base path, give the component its `url`\.$/,
    )
  })

  const redirected = (to: string, body: unknown) => {
    const reply = { status: 200, body: JSON.stringify(body), header: () => null, redirect: to, url }
    return (readReply(reply, () => undefined, "app") as { error: UploadError }).error
  }

  test("the URL to set, where a redirect made a GET of the POST", () => {
    const routes = [{ slug: "a", config: {} }]
    expect(consoleOf(redirected(`${url}/`, routes))).toMatch(
      /The app redirects \/api\/sluice to \/api\/sluice\/, and a redirected POST becomes a GET: set `url: "\/api\/sluice\/"`\.$/,
    )
    expect(consoleOf(redirected("https://other.example/api/sluice", routes))).toContain(
      'set `url: "https://other.example/api/sluice"`',
    )
  })

  test("what to let through, where a redirect leads to a login", () => {
    const line = consoleOf(redirected("https://shop.example/login", "<html>"))
    expect(line).toMatch(
      /redirects \/api\/sluice to \/login: let \/api\/sluice through in the middleware that redirects\.$/,
    )
    expect(line).not.toMatch(/proxy\.ts|Next/)
  })
})

test("the console gets what users are not shown, once, also in production", async () => {
  vi.stubEnv("NODE_ENV", "production")
  const written = vi.spyOn(console, "error").mockReturnValue()
  const told = Promise.withResolvers<void>()
  const report = createOutcomeReporter(() => ({ onUploadError: ({ code }) => code === "FORBIDDEN" && told.resolve() }))
  const error = new UploadError({ code: "MISSING_TOKEN", message: "Set SLUICE_TOKEN." })
  for (const name of ["a", "b"]) report({ status: "failed", file: new File([], name), error })
  report({ status: "failed", file: new File([], "c"), error: new UploadError("Sign in first.") })
  await told.promise
  expect(written.mock.calls).toEqual([["Sluice: MISSING_TOKEN: Set SLUICE_TOKEN."]])
})
