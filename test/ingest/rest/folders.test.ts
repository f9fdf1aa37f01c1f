import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { SluiceApi } from "../../../src/api.ts"
import type { Catalog } from "../../../src/ingest.ts"
import { listLevel } from "../../../src/ingest/rest/list-level.ts"
import { comparePaths } from "../../../src/ingest/storage/path-order.ts"
import { appId, catalogs, startIngest, token } from "../circle.ts"
import { fill } from "./fill.ts"
import { call, codeOf } from "./rest-app.ts"

/** What is right in a folder, by hand. */
const levelOf = (paths: ReadonlyArray<string>, prefix: string) => {
  const below = paths.filter((path) => path.startsWith(prefix)).toSorted(comparePaths)
  const isNested = (path: string) => path.slice(prefix.length).includes("/")
  const toFolder = (path: string) => path.slice(0, path.indexOf("/", prefix.length) + 1)
  return {
    files: below.filter((path) => !isNested(path)),
    folders: [...new Set(below.filter(isNested).map(toFolder))],
  }
}

/** A catalog of which is known how many files were read. */
const countReads = (catalog: Catalog) => {
  let read = 0
  const counted: Pick<Catalog, "listByPath"> = {
    listByPath: async (page) => {
      const found = await catalog.listByPath(page)
      read += found.length
      return found
    },
  }
  return { counted, count: () => read }
}

const part = fc.constantFrom("a", "b", "a0", "a-", "a!", "0", "\u{10ffff}", "é", "zz")
const somePaths = fc.array(
  fc.array(part, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("/")),
  { minLength: 1, maxLength: 25 },
)
const somePrefix = fc.constantFrom("", "a", "a/", "a/b/", "b/", "0/", "none/", "a0/", "\u{10ffff}/")

describe.each(catalogs)("listFiles with folders (%s)", (_, create) => {
  it("has what is right in a folder, each folder once, over pages of any size", async () => {
    await fc.assert(
      fc.asyncProperty(somePaths, somePrefix, fc.integer({ min: 1, max: 7 }), async (paths, prefix, limit) => {
        const catalog = create()
        for (const path of paths) await fill(catalog, 1, { path })
        await fill(catalog, 1, {})
        const seen = { files: [] as Array<string>, folders: [] as Array<string> }
        let after: Parameters<typeof listLevel>[2]
        for (let pages = 0; ; pages++) {
          expect(pages).toBeLessThan(60)
          const page = await listLevel(catalog, { appId, prefix, status: "Uploaded" }, after, limit)
          expect(page.files.length + page.folders.length).toBeLessThanOrEqual(limit)
          seen.files.push(...page.files.map(({ path }) => path!))
          seen.folders.push(...page.folders)
          if (page.end === null) break
          after = page.end
        }
        expect(seen).toEqual(levelOf(paths, prefix))
        await catalog.close()
      }),
      { numRuns: 60 },
    )
  })

  it("costs what is on the page, however much is below it", async () => {
    const catalog = create()
    await fill(catalog, 1500, { path: "large/photo.jpg" })
    await fill(catalog, 1, { path: "small/photo.jpg" })
    const { counted, count } = countReads(catalog)
    const page = await listLevel(counted, { appId, prefix: "", status: "Uploaded" }, undefined, 100)
    expect(page).toEqual({ files: [], folders: ["large/", "small/"], end: null })
    expect(count()).toBeLessThan(10)
  })

  it("reads few files of each folder again once it has read many that follow each other", async () => {
    const catalog = create()
    for (let at = 0; at < 60; at++) await fill(catalog, 1, { path: `${100 + at}.jpg` })
    for (const folder of ["a", "b", "c", "d", "e"]) await fill(catalog, 150, { path: `${folder}/photo.jpg` })
    const { counted, count } = countReads(catalog)
    const page = await listLevel(counted, { appId, prefix: "", status: "Uploaded" }, undefined, 400)
    expect([page.files.length, page.folders.length]).toEqual([60, 5])
    expect(count()).toBeLessThan(60 + 200)
  })

  it("is asked for by the server API, of one owner, and goes on by its cursor", async () => {
    const ingest = await startIngest({ catalog: create() })
    const api = new SluiceApi({ token, ingestUrl: ingest.url })
    for (const path of [
      "top.txt",
      "albums/a.jpg",
      "albums/summer/b.jpg",
      "albums/summer/c.jpg",
      "albums/winter/d.jpg",
    ]) {
      await fill(ingest.catalog, 1, { owner: "user-7", path })
    }
    await fill(ingest.catalog, 1, { owner: "user-8", path: "secret/e.jpg" })
    const mine = { owner: "user-7", folders: true, status: "Uploaded" } as const
    expect(await api.listFiles(mine)).toMatchObject({
      hasMore: false,
      nextCursor: null,
      folders: ["albums/"],
      files: [{ path: "top.txt" }],
    })
    const pages: Array<unknown> = []
    for await (const { files, folders } of api.listFiles({ ...mine, prefix: "albums/", limit: 1 }).pages()) {
      pages.push([folders, files.map(({ path }) => path)])
    }
    expect(pages).toEqual([
      [[], ["albums/a.jpg"]],
      [["albums/summer/"], []],
      [["albums/winter/"], []],
    ])
    expect((await api.listFiles({ ...mine, prefix: "albums/", folders: false })).folders).toBeUndefined()
    const ask = async (body: object) => codeOf(await call(ingest.url, "listFiles", body))
    expect(await ask({ folders: true, offset: 1 })).toBe("400 BAD_REQUEST")
    expect(await ask({ folders: true, cursor: "12" })).toBe("400 BAD_REQUEST")
    expect(await ask({ folders: "yes" })).toBe("400 BAD_REQUEST")
  })
})
