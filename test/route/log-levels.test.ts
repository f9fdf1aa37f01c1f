import { describe, expect, test } from "vitest"
import { createSluice, UploadError } from "../../src/server.ts"
import { apiKey, token } from "./app-token.ts"
import { handlerOf, png, presigned, problemOf, renewRequest, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { json, networkError, useMockIngest } from "./mock-ingest.ts"
import { useQuickTimers } from "./quick-timers.ts"
import { callbackEvent, hookRequest, sign } from "./signed-event.ts"

const ingest = useMockIngest()
const { lines, linesWith } = useConsoleLines()
useQuickTimers()

const f = createSluice({
  errorFormatter: () => {
    throw new Error("formatter is broken")
  },
})

/** Whatever may be logged is logged here, with all there is to leak in the hands of those who throw. */
const provoke = async (options: Partial<Parameters<typeof handlerOf>[1]>) => {
  const { error: secret } = { error: `${apiKey} ${token} Bearer` }
  const router = {
    a: f({ image: {} })
      .middleware(({ request }) => {
        const mode = request.headers.get("x-mode")
        if (mode === "error") throw new Error(`key ${secret}`, { cause: { token, url: request.headers.get("x-url") } })
        if (mode === "object") throw { apiKey, nested: { token } }
        if (mode === "refuse") throw new UploadError({ code: "FORBIDDEN", message: "No", cause: new Error(secret) })
      })
      .onUploadComplete(() => {
        throw new Error(`signature ${sign("x")} ${secret}`)
      }),
  }
  const handle = handlerOf(router, { isDev: false, ...options })
  const upload = (mode: string, url = "") =>
    handle(uploadRequest("a", { files: [png] }, { headers: { "x-mode": mode, "x-url": url } }))
  const [first] = await presigned(await upload(""))
  for (const mode of ["error", "object", "refuse"]) await problemOf(await upload(mode, first!.url))
  await problemOf(await handle(hookRequest(callbackEvent())))
  await problemOf(await handle(renewRequest("a", { urls: [first!.url.slice(0, -1)] })))
  ingest.answerRegistration(networkError, networkError, networkError)
  await problemOf(await upload(""))
  ingest.answerRegistration(({ headers, text }) => json({ echo: [...headers.values(), text, first!.url] }, 400))
  await problemOf(await upload(""))
  ingest.answerRegistration(({ headers }) => json({ echo: [headers.get("x-sluice-api-key"), first!.url] }, 403))
  const work: Array<Promise<unknown>> = []
  await presigned(
    await handlerOf(router, { ...options, isDev: true, waitUntil: (promise) => void work.push(promise) })(
      uploadRequest("a", { files: [png] }),
    ),
  )
  await Promise.all(work)
}

// That none of these lines holds a secret or a signature is checked after every test by useConsoleLines.
describe.each(["json", "text"] as const)("the log as %s", (logFormat) => {
  test.each(["All", "Trace", "Debug", "Info", "Warning", "Error"] as const)(
    "at level %s holds what went wrong, and no secret",
    async (logLevel) => {
      await provoke({ logLevel, logFormat })
      expect(linesWith("error", "formatter is broken").length).toBeGreaterThan(0)
      expect(linesWith("error", "threw an error").length).toBe(6)
      expect(linesWith("error", "<redacted>").length).toBeGreaterThan(0)
    },
  )

  test.each(["None", "Fatal"] as const)("at level %s is silent", async (logLevel) => {
    await provoke({ logLevel, logFormat })
    expect(lines).toEqual([])
  })
})

test("at level Error there are no warnings, at level Warning there are", async () => {
  for (const [logLevel, count] of [
    ["Error", 0],
    ["Warning", 1],
  ] as const) {
    ingest.answerRegistration(() => new Response('{"no":"event"}\n'))
    const work: Array<Promise<unknown>> = []
    const router = { a: createSluice()({ image: {} }).onUploadComplete(() => 1) }
    const handle = handlerOf(router, { isDev: true, logLevel, waitUntil: (promise) => void work.push(promise) })
    await presigned(await handle(uploadRequest("a", { files: [png] })))
    await Promise.all(work)
    expect(linesWith("warn", "not an event")).toHaveLength(count)
  }
})

test("an upload that goes well is not logged by default, nor does a refused one fill the log", async () => {
  const router = { a: createSluice()({ image: {} }).onUploadComplete(() => 1) }
  const handle = handlerOf(router, { logLevel: undefined })
  await presigned(await handle(uploadRequest("a", { files: [png] })))
  await problemOf(await handle(uploadRequest("a", { files: [] })))
  await problemOf(await handle(uploadRequest("b", { files: [png] })))
  expect(lines).toEqual([])
})

test("an entry is one line, whatever a client puts into it", async () => {
  const router = {
    a: createSluice()({ image: {} })
      .middleware(({ files }) => {
        throw new Error(`cannot take ${files[0]!.name}`)
      })
      .onUploadComplete(() => 1),
  }
  for (const logFormat of ["json", "text"] as const) {
    const files = [{ ...png, name: 'x\n{"level":"fatal"}\u001b[2J.png' }]
    await problemOf(await handlerOf(router, { logFormat })(uploadRequest("a", { files })))
  }
  const [asJson, asText] = lines as [(typeof lines)[number], (typeof lines)[number]]
  expect(asJson.text.split("\n")).toHaveLength(1)
  expect(JSON.parse(asJson.text)).toMatchObject({ level: "error", service: "sluice" })
  for (const { text } of lines) expect(text).not.toContain("\u001b")
  for (const line of asText.text.split("\n").slice(1)) expect(line).toMatch(/^ {4}/)
})
