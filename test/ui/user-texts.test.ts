import { afterEach, describe, expect, test, vi } from "vitest"
import { parseProblem } from "../../src/protocol/parse-problem.ts"
import { type ProblemCode, problems } from "../../src/protocol.ts"
import { english } from "../../src/ui/english-texts.ts"
import { UploadError } from "../../src/ui.ts"
import { createOutcomeReporter } from "../../src/ui/report-outcomes.ts"

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
  ["ROUTE_NOT_FOUND", 'There is no file route "a".', "Uploads are not set up here. (ROUTE_NOT_FOUND)"],
  ["METHOD_NOT_ALLOWED", "PATCH: POST uploads.", "Uploads are not set up here. (METHOD_NOT_ALLOWED)"],
  ["INVALID_SIGNATURE", "The signature does not match.", "Uploads are not set up here. (INVALID_SIGNATURE)"],
  ["INTERNAL_ERROR", "ECONNREFUSED", "Something went wrong on the server. Try again in a moment."],
  ["ROUTE_FAILED", "Its log has it under 0000.", "Something went wrong on the server."],
  ["INGEST_UNAVAILABLE", "The ingest is stopping.", "The storage cannot be reached. Try again in a moment."],
  ["RATE_LIMITED", "More than 16 requests.", "Too many uploads at once. Try again in a moment."],
  ["QUOTA_EXCEEDED", "limitBytes", "The storage is full."],
  ["CONTENT_MISMATCH", "Magic bytes of text/html.", "The content is not what the file name says."],
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
