import { expect, test } from "vitest"
import { UploadError } from "../../../src/client.ts"
import { createRouteHandler, createSluice } from "../../../src/server.ts"
import { english } from "../../../src/ui/texts/english-texts.ts"
import type { UploadItem } from "../../../src/ui.ts"
import { findMissing, judgeCounts } from "../../../src/ui/files/judge-counts.ts"
import { toLimitWords } from "../../../src/ui/texts/limit-words.ts"
import { encodeToken } from "../../../src/protocol.ts"
import { parseConfig } from "../parse-config.ts"

const item = (id: string, status: string, type = "image/png", more: Partial<UploadItem> = {}) =>
  ({ id, name: id, type, status, ...more }) as UploadItem
const surplus = (id: string) =>
  item(id, "failed", "image/png", { error: new UploadError({ code: "TOO_MANY_FILES", message: "" }) })
const config = parseConfig({ image: { maxFileCount: 2 } })
const statuses = (items: ReadonlyArray<UploadItem>) => items.map(({ id, status }) => `${id} ${status}`)

test("what was too many is picked in the order of the list, as far as there is room", () => {
  const judged = judgeCounts([item("a", "picked"), surplus("b"), surplus("c")], config, english)
  expect(statuses(judged)).toEqual(["a picked", "b picked", "c failed"])
  expect(judged[1]!.error).toBe(undefined)
  expect(judgeCounts(judged, config, english)).toBe(judged)
})

test("what is stored takes a place where the list says so", () => {
  const items = [item("a", "done"), item("b", "picked"), item("c", "picked")]
  expect(judgeCounts(items, config, english)).toBe(items)
  const judged = judgeCounts(items, config, english, ({ status }) => status === "done")
  expect(statuses(judged)).toEqual(["a done", "b picked", "c failed"])
  expect(judged[2]!.error).toMatchObject({
    code: "TOO_MANY_FILES",
    detail: english.tooMany({ kind: "image", ...config.image! }),
  })
})

test("what a server has refused, or has failed otherwise, stays as it is", () => {
  const items = [
    { ...surplus("a"), canRetry: false },
    item("b", "failed", "image/png", { error: new UploadError("No.") }),
    item("c", "picked", ""),
  ]
  expect(judgeCounts(items, config, english)).toBe(items)
})

const f = createSluice()
const pair = {
  image: { minFileCount: 2, maxFileCount: 4, maxFileSize: "1KB" },
  pdf: { minFileCount: 2, maxFileCount: 3 },
} as const
const router = { pair: f(pair).onUploadComplete(() => null) }
const token = encodeToken({
  apiKey: "sk_test_counts",
  appId: "counts",
  regions: ["local"],
  ingestUrl: "http://127.0.0.1:9",
})
const handle = createRouteHandler({ router, token, logLevel: "None", isDev: false, allowedHosts: "app.test" })
/** What the route handler says of files of these types; undefined where its limits let them pass. */
const ask = async (types: ReadonlyArray<string>, size = 1) => {
  const files = types.map((type, index) => ({ name: `${index}`, size, type }))
  const request = new Request("http://app.test/api/sluice?actionType=upload&slug=pair", {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ files }),
  })
  const { code, detail } = (await (await handle(request)).json()) as { code: string; detail: string }
  return /_FILES$|^FILE_/.test(code) ? new UploadError({ code: code as "TOO_FEW_FILES", message: detail }) : undefined
}

test.each([
  [["image/png"]],
  [["image/png", "image/png"]],
  [["image/png", "image/png", "application/pdf"]],
  [["application/pdf", "application/pdf"]],
  [[]],
])("too few are those that the route handler finds too few: %j", async (types) => {
  const missing = findMissing(
    types.map((type, index) => item(`${index}`, "picked", type)),
    parseConfig(pair),
  )
  const answer = types.length === 0 ? undefined : await ask(types)
  expect(missing !== undefined).toBe(answer?.code === "TOO_FEW_FILES")
})

test("the route handler's words about limits, for developers, become those of the component", async () => {
  const config = parseConfig(pair)
  const errors = [await ask(["image/png"]), await ask(["text/plain"]), await ask(["image/png", "image/png"], 5000)]
  for (const error of errors) {
    const words = toLimitWords(error!, 1, config, english)
    expect(error!.detail).toContain("route")
    expect(words.code).toBe(error!.code)
    expect(words.detail).toMatch(/^Not allowed here\. /)
    expect(words.detail).not.toContain("route")
  }
  const own = new UploadError({ code: "TOO_MANY_FILES", message: "You have ten photos already." })
  expect(toLimitWords(own, 1, config, english)).toBe(own)
})
