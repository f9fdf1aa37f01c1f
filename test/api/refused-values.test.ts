import { describe, expect, test } from "vitest"
import { SluiceApi, SluiceFile, UploadError } from "../../src/api.ts"
import { encodedAppId, token } from "../route/app-token.ts"
import { useMockRest } from "./mock-rest.ts"

const rest = useMockRest()
const api = new SluiceApi({ token, logLevel: "None" })
const key = `${encodedAppId}a`
/** As JavaScript calls it. */
const any = (value: unknown) => value as never

const catchError = async (call: () => PromiseLike<unknown>): Promise<UploadError> => {
  const error = await Promise.resolve(call()).then(
    (value) => expect.fail(`It resolved to ${JSON.stringify(value)}.`),
    (reason: unknown) => reason,
  )
  expect(UploadError.is(error), String(error)).toBe(true)
  expect(rest.calls).toEqual([])
  return error as UploadError
}

const lost: ReadonlyArray<readonly [string, unknown, string]> = [
  ["a function", () => "bob", "a function"],
  ["a symbol", Symbol("bob"), "a symbol"],
  ["a value whose toJSON gives nothing", { toJSON: () => undefined }, "an object"],
  ["a value whose toJSON gives a function", { toJSON: () => () => "bob" }, "a function"],
  ["a value whose toJSON gives null", new Date(Number.NaN), "a Date"],
  ["NaN", Number.NaN, "NaN"],
  ["a bigint", 5n, "a bigint"],
]

const owned: ReadonlyArray<readonly [string, (owner: never) => PromiseLike<unknown>]> = [
  ["getFiles", (owner) => api.getFiles(key, { owner })],
  ["describeFiles", (owner) => api.describeFiles(key, { owner })],
  ["getSignedURL", (owner) => api.getSignedURL(key, { owner })],
  ["renameFiles", (owner) => api.renameFiles({ key, newName: "x" }, { owner })],
  ["updateACL", (owner) => api.updateACL(key, "public-read", { owner })],
  ["moveFiles", (owner) => api.moveFiles({ key, path: "x" }, { owner })],
  ["updateFiles", (owner) => api.updateFiles(key, { expiresIn: null, owner })],
  ["claimFiles", (owner) => api.claimFiles(key, { owner })],
  ["getUsageInfo", (owner) => api.getUsageInfo({ owner })],
  ["listFiles", (owner) => api.listFiles({ owner })],
  ["deleteFiles", (owner) => api.deleteFiles(key, { owner })],
  ["deleteFiles of an owner", (owner) => api.deleteFiles({ owner, prefix: "tmp/" })],
]

describe.each(lost)("%s is not left out of a request", (_, value, kind) => {
  test.each(owned)("as the owner of %s", async (method, call) => {
    const error = await catchError(() => call(any(value)))
    expect(error.code).toBe("BAD_REQUEST")
    // What describeFiles asks is a call of getFiles.
    const asked = method === "describeFiles" ? "getFiles" : method.split(" ")[0]!
    expect(error.message).toBe(`${asked}: owner is ${kind}, which JSON cannot hold.`)
  })

  test.each<[string, (value: never) => PromiseLike<unknown>]>([
    ["prefix", (prefix) => api.deleteFiles({ owner: "alice", prefix })],
    ["prefix", (prefix) => api.listFiles({ prefix })],
    ["status", (status) => api.listFiles({ status })],
    ["slug", (slug) => api.claimFiles(key, { slug })],
    ["reason", (reason) => api.rejectFiles(key, { reason })],
    ["updates[0].path", (path) => api.moveFiles({ key, path })],
    ["updates[1].newName", (newName) => api.renameFiles([{ key, newName: "x" }, any({ fileKey: key, newName })])],
    ["updates[0].acl", (acl) => api.updateACL(key, acl)],
    ["owner.id[1]", (id) => api.getFiles(key, { owner: any({ id: ["x", id] }) })],
  ])("as %s", async (member, call) => {
    const error = await catchError(() => call(any(value)))
    expect(error).toMatchObject({ code: "BAD_REQUEST" })
    expect(error.message).toContain(`: ${member} is ${kind},`)
  })
})

test("what JSON does hold goes through, and so do optional members that are undefined", async () => {
  await api.listFiles({ limit: 5, status: undefined, folders: false, owner: any({ toJSON: () => "alice" }) })
  await api.moveFiles({ key, path: null })
  expect(rest.calls.map(({ body }) => body)).toEqual([
    { limit: 5, folders: false, owner: "alice" },
    { updates: [{ fileKey: key, path: null }] },
  ])
})

describe.each<[string, unknown, string]>([
  ["a function", () => ({ owner: "bob" }), "a function"],
  ["a promise", Promise.resolve({ owner: "bob" }), "a Promise"],
  ["a Map", new Map([["owner", "bob"]]), "a Map"],
  ["null", null, "null"],
  ["a number", 5, "a number"],
  ["a list", [], "a list"],
])("%s is no options, of which the owner would be lost", (_, options, kind) => {
  test.each<[string, (options: never) => PromiseLike<unknown>]>([
    ["getFiles", (given) => api.getFiles(key, given)],
    ["claimFiles", (given) => api.claimFiles(key, given)],
    ["deleteFiles", (given) => api.deleteFiles(key, given)],
    ["getUsageInfo", (given) => api.getUsageInfo(given)],
    ["generateSignedPrefixURL", (given) => api.generateSignedPrefixURL("a/", given)],
    ["uploadFiles", (given) => api.uploadFiles(new File(["a"], "a.txt"), given)],
    ["uploadFilesFromUrl", (given) => api.uploadFilesFromUrl("https://files.example/a.txt", given)],
  ])("of %s", async (method, call) => {
    const error = await catchError(() => call(any(options)))
    expect(error.code).toBe("INVALID_CONFIG")
    expect(error.message).toBe(`The options of ${method}: expected an object, not ${kind}.`)
  })

  test("of listFiles", async () => {
    await catchError(() => api.listFiles(any(options)))
    await expect(api.listFiles(any(options)).pages().next()).rejects.toSatisfy(UploadError.is)
  })

  test("and no labels of a file", async () => {
    const labels = any(options)
    const error = {
      code: "BAD_REQUEST",
      message: `The labels of "a.txt": Expected an object, not ${kind}.`,
    }
    expect(await api.uploadFiles(new File(["a"], "a.txt"), { labels })).toMatchObject({ error })
    if (options !== null) {
      expect(await api.uploadFiles(new SluiceFile(["a"], "a.txt", { labels }))).toMatchObject({ error })
    }
    expect(rest.calls).toEqual([])
  })
})

test.each(lost)("%s is no owner of an upload, nor of a signed prefix", async (_, value) => {
  const owner = any(value)
  const { error } = await api.uploadFiles(new File(["a"], "a.txt"), { labels: { owner } })
  expect(error).toMatchObject({ code: "BAD_REQUEST" })
  expect(await catchError(() => api.generateSignedPrefixURL("a/", { owner }))).toMatchObject({ code: "BAD_REQUEST" })
})

describe.each<[string, () => unknown, string]>([
  ["a Set", () => new Set([key]), "a Set"],
  ["an iterator", () => [key].values(), "an Array Iterator"],
  ["a number", () => 5, "a number"],
  ["a function", () => () => key, "a function"],
  ["a symbol", () => Symbol("key"), "a symbol"],
  ["a Date", () => new Date(), "a Date"],
  ["a promise", () => Promise.resolve([key]), "a Promise"],
  ["undefined", () => undefined, "undefined"],
  ["null", () => null, "null"],
])("%s is no keys", (_, make, kind) => {
  test.each<[string, (keys: never) => PromiseLike<unknown>]>([
    ["getFiles", (keys) => api.getFiles(keys)],
    ["deleteFiles", (keys) => api.deleteFiles(keys)],
    ["updateACL", (keys) => api.updateACL(keys, "private")],
    ["updateFiles", (keys) => api.updateFiles(keys, { expiresIn: 5 })],
    ["renameFiles", (keys) => api.renameFiles(keys)],
    ["moveFiles", (keys) => api.moveFiles(keys)],
    ["claimFiles", (keys) => api.claimFiles(keys)],
    ["releaseFiles", (keys) => api.releaseFiles(keys)],
    ["rejectFiles", (keys) => api.rejectFiles(keys)],
    ["getSignedURL", (keys) => api.getSignedURL(keys)],
    ["generateSignedURL", (keys) => api.generateSignedURL(keys)],
    ["a list of getFiles", (keys) => api.getFiles([keys])],
    ["a list of claimFiles", (keys) => api.claimFiles({ photos: [keys] })],
  ])("of %s", async (_method, call) => {
    const error = await catchError(() => call(any(make())))
    expect(error.code).toMatch(/^(BAD_REQUEST|INVALID_CONFIG)$/)
    expect(error.message).toContain(`not ${kind}`)
  })
})

test("describeFiles leaves out what a form sends, and refuses what only a program gives", async () => {
  for (const sent of [undefined, null, 5, "x", {}, [null, 5]]) {
    expect(await api.describeFiles(any(sent))).toEqual([])
  }
  for (const given of [new Set([key]), [key].values(), () => key, Promise.resolve([key])]) {
    expect(await catchError(() => api.describeFiles(any(given)))).toMatchObject({ code: "BAD_REQUEST" })
  }
})

test("a hole in a list is no key", async () => {
  const keys = [key]
  keys.length = 2
  expect((await catchError(() => api.getFiles(keys))).message).toBe(
    "getFiles, key 1 of the list: expected a key, not undefined.",
  )
})

test("a keyType that there is not does not mean custom ids", async () => {
  const options = { keyType: any("filekey") }
  expect(await catchError(() => api.deleteFiles(key, options))).toMatchObject({ code: "BAD_REQUEST" })
  expect(await catchError(() => api.generateSignedURL(key, options))).toMatchObject({ code: "BAD_REQUEST" })
})

const cycle: Array<unknown> = []
cycle.push(cycle)
const thrown = new Error("trap")
const trap = () => {
  throw thrown
}
const proxy = new Proxy({}, { get: trap, has: trap, ownKeys: trap, getPrototypeOf: trap })

describe.each<[string, unknown]>([
  ["a text", "text"],
  ["a bigint", 5n],
  ["a cyclic list", cycle],
  ["a Proxy", proxy],
  ["a list with a Proxy", [proxy]],
  [
    "getters that throw",
    Object.defineProperties(
      {},
      {
        key: { get: trap, enumerable: true },
        owner: { get: trap, enumerable: true },
        newName: { get: trap, enumerable: true },
      },
    ),
  ],
])("%s rejects with an UploadError", (_, value) => {
  test.each<[string, (junk: never) => PromiseLike<unknown>]>([
    ["renameFiles", (junk) => api.renameFiles(junk)],
    ["moveFiles", (junk) => api.moveFiles(junk)],
    ["options", (junk) => api.getUsageInfo(junk)],
    ["options of listFiles", (junk) => api.listFiles(junk)],
    ["generateSignedURL", (junk) => api.generateSignedURL(junk)],
    ["generateSignedPrefixURL", (junk) => api.generateSignedPrefixURL(junk)],
  ])("as %s", async (_what, call) => {
    const error = await catchError(() => call(any(value)))
    expect(error.code).toMatch(/^(BAD_REQUEST|INVALID_CONFIG)$/)
  })
})

test.each<[string, unknown]>([
  ["a cyclic list", cycle],
  ["a Proxy", proxy],
  ["a getter", Object.defineProperty({}, "a", { get: trap, enumerable: true })],
])("%s within a request is no JSON, and the call is named", async (_, newName) => {
  const error = await catchError(() => api.renameFiles({ key, newName: any(newName) }))
  expect(error).toMatchObject({ code: "BAD_REQUEST", cause: expect.any(Error) })
  expect(error.message).toBe("renameFiles: what it was given is no JSON, see `cause`.")
})

test("what an argument throws is the cause, and the call is named", async () => {
  const error = await catchError(() => api.renameFiles(any(proxy)))
  expect(error).toMatchObject({ code: "BAD_REQUEST", cause: thrown })
  expect(error.message).toBe("renameFiles cannot use what it was given, see `cause`.")
  expect((await catchError(() => api.uploadFiles(any(proxy)))).cause).toBe(thrown)
})
