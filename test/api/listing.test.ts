import { describe, expect, test } from "vitest"
import { type ListedFile, SluiceApi } from "../../src/api.ts"
import { token } from "../route/app-token.ts"
import { problem, useMockRest } from "./mock-rest.ts"

const rest = useMockRest()
const api = new SluiceApi({ token })

const file = (id: number): ListedFile => ({
  id: `${id}`,
  key: `key${id}`,
  customId: null,
  name: `${id}.txt`,
  size: id,
  type: "text/plain",
  status: "Uploaded",
  acl: "private",
  uploadedAt: 1_700_000_000_000,
  owner: null,
  path: null,
  expiresAt: null,
  claimBy: null,
})
const page = (ids: ReadonlyArray<number>, nextCursor: string | null) => ({
  hasMore: nextCursor !== null,
  nextCursor,
  files: ids.map(file),
})
const three = () =>
  rest.answer(
    () => Response.json(page([6, 5], "5")),
    () => Response.json(page([4, 3], "3")),
    () => Response.json(page([2], null)),
  )
const bodies = () => rest.calls.map(({ body }) => body)

describe("listFiles", () => {
  test("asks nothing until it is used", async () => {
    const listing = api.listFiles()
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(rest.calls).toEqual([])
    await listing
    expect(bodies()).toEqual([{}])
  })

  test("ends where the ingest answers with the same page again", async () => {
    rest.answer(
      () => Response.json(page([6, 5], "5")),
      () => Response.json(page([], "5")),
      () => Response.json(page([], "5")),
    )
    const ids: Array<string> = []
    const all = async () => {
      for await (const { id } of api.listFiles()) ids.push(id)
    }
    await expect(all()).rejects.toMatchObject({ code: "INVALID_CONFIG", detail: expect.stringContaining("same pages") })
    expect([ids, rest.calls.length]).toEqual([["6", "5"], 2])
  })

  test("ends where pages come in a circle", async () => {
    const pages = ["3", "2", "3"].map((next) => () => Response.json(page([4], next)))
    rest.answer(...pages)
    const all = async () => {
      for await (const _ of api.listFiles());
    }
    await expect(all()).rejects.toMatchObject({ code: "INVALID_CONFIG" })
    expect(rest.calls).toHaveLength(3)
  })

  test("awaited is one page, however often", async () => {
    three()
    const listing = api.listFiles({ limit: 2 })
    expect(await listing).toEqual(page([6, 5], "5"))
    expect(await listing).toEqual(page([6, 5], "5"))
    expect(bodies()).toEqual([{ limit: 2 }])
  })

  test("looped over is every file of every page", async () => {
    three()
    const ids: Array<string> = []
    for await (const { id } of api.listFiles({ limit: 2, status: "Uploaded" })) ids.push(id)
    expect(ids).toEqual(["6", "5", "4", "3", "2"])
    expect(bodies()).toEqual([
      { limit: 2, status: "Uploaded" },
      { limit: 2, status: "Uploaded", cursor: "5" },
      { limit: 2, status: "Uploaded", cursor: "3" },
    ])
  })

  test("gives its pages", async () => {
    three()
    const sizes: Array<number> = []
    for await (const { files } of api.listFiles().pages()) sizes.push(files.length)
    expect(sizes).toEqual([2, 2, 1])
  })

  test("asks for no page that nobody looks at", async () => {
    three()
    for await (const { id } of api.listFiles()) if (id === "5") break
    expect(rest.calls).toHaveLength(1)
  })

  test("begins where it is told to, and goes on by cursor", async () => {
    rest.answer(() => Response.json(page([4], "4")))
    const pages = []
    for await (const each of api.listFiles({ offset: 2 }).pages()) pages.push(each)
    expect(bodies()).toEqual([{ offset: 2 }, { cursor: "4" }])
    await api.listFiles({ cursor: "9" })
    expect(bodies().at(-1)).toEqual({ cursor: "9" })
  })

  test("a refusal comes to whoever waits, in every way", async () => {
    const refuse = () => rest.answer(() => problem(401, "UNAUTHORIZED"))
    refuse()
    await expect(api.listFiles()).rejects.toMatchObject({ code: "UNAUTHORIZED" })
    refuse()
    expect(await api.listFiles().catch((error: unknown) => error)).toMatchObject({ code: "UNAUTHORIZED" })
    refuse()
    await expect(api.listFiles().pages().next()).rejects.toMatchObject({ code: "UNAUTHORIZED" })
    rest.answer(
      () => Response.json(page([6], "6")),
      () => problem(401, "UNAUTHORIZED"),
    )
    const seen: Array<string> = []
    const loop = async () => {
      for await (const { id } of api.listFiles()) seen.push(id)
    }
    await expect(loop()).rejects.toMatchObject({ code: "UNAUTHORIZED" })
    expect(seen).toEqual(["6"])
    let ended = false
    await api.listFiles().finally(() => (ended = true))
    expect(ended).toBe(true)
  })
})
