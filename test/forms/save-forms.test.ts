import { readFile } from "node:fs/promises"
import { join } from "node:path"
import { randomUUID } from "node:crypto"
import { type ComponentType, createElement } from "react"
import { renderToString } from "react-dom/server"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { SluiceApi } from "../../src/api.ts"
import { generateUploader, type TypedFileRouter } from "../../src/client.ts"
import type { FileRouter } from "../../src/server.ts"
import { type Site, startSite } from "../bindings/start-site.ts"
import { readBlocks } from "../code-blocks.ts"
import { type ImportedBlocks, writeBlocks } from "../import-blocks.ts"

const markdown = await readFile(join(import.meta.dirname, "../../docs/forms.md"), "utf8")
const server =
  /^(router|database|explain|missing-of|upload|photos-field|two-fields|save-profile|album|save-album|render-album|api\/album)\.tsx?$/

type Problem = Promise<string | undefined>

interface Modules {
  readonly database: {
    readonly users: Map<string, string>
    readonly profiles: Map<string, object>
    readonly albums: Map<string, object>
  }
  readonly saveProfile: (userId: string, name: string, portrait: string | null) => Problem
  readonly loadProfile: (
    userId: string,
  ) => Promise<{ readonly portrait: ReadonlyArray<{ readonly previewUrl: string }> }>
  readonly deleteUser: (userId: string) => Promise<void>
  readonly saveAlbum: (
    userId: string,
    album: { title: string; photos: ReadonlyArray<string> },
    seen?: ReadonlyArray<string>,
  ) => Problem
  readonly loadAlbum: (
    userId: string,
  ) => Promise<{ readonly photos: ReadonlyArray<{ readonly name: string; readonly previewUrl: string }> }>
  readonly missingOf: (error: unknown) => ReadonlyArray<string>
  readonly PhotosField: ComponentType<{
    readonly photos: ReadonlyArray<{ readonly key: string; readonly name: string }>
    readonly missing: ReadonlyArray<string>
  }>
  readonly TwoFields: ComponentType
  readonly PUT: (request: Request) => Promise<Response>
  readonly POST: (request: Request) => Promise<Response>
}

describe("what docs/forms.md saves", () => {
  const missing = "A picture is not yours, or is gone. Choose it again."
  let site: Site
  let api: SluiceApi
  let written: ImportedBlocks
  let app: Modules
  let ada: string
  let eve: string

  beforeAll(async () => {
    const blocks = readBlocks(markdown).filter(({ path, heading }) => server.test(path) && heading !== "VeeValidate")
    // A bundler's part.
    const withoutStyles = blocks.map(({ path, code }) => ({
      path,
      code: code.replace('import "sluice/styles.css"', ""),
    }))
    written = await writeBlocks(withoutStyles)
    const { router } = (await written.load("router.ts")) as { readonly router: FileRouter }
    site = await startSite({ script: "", router })
    api = new SluiceApi({ token: site.token })
    process.env["SLUICE_TOKEN"] = site.token
    const modules = [
      "database.ts",
      "save-profile.ts",
      "save-album.ts",
      "api/album.ts",
      "missing-of.ts",
      "photos-field.tsx",
      "two-fields.tsx",
    ].map(written.load)
    app = Object.assign({}, ...(await Promise.all(modules))) as Modules
  })
  afterAll(async () => {
    delete process.env["SLUICE_TOKEN"]
    await site.close()
    await written.remove()
  })
  beforeEach(() => {
    ada = randomUUID()
    eve = randomUUID()
  })

  /** A file that a page of the user has uploaded through one of the routes. */
  const upload = async (owner: string, name: string, route = "photos") => {
    app.database.users.set(`session-${owner}`, owner)
    const { uploadFiles } = generateUploader<TypedFileRouter>({
      url: `${site.url}/api/sluice`,
      headers: { cookie: `session=session-${owner}` },
    })
    const [stored] = await uploadFiles(route, { files: [new File(["a picture"], name, { type: "image/png" })] })
    if (stored?.status !== "done") throw stored?.error ?? new Error("Nothing was uploaded.")
    return stored.key
  }
  const portraitOf = (owner: string, name: string) => upload(owner, name, "portrait")
  const filesOf = async (owner: string) => {
    const { files } = await api.listFiles({ owner })
    const there = files.filter(({ status }) => status !== "Deleting")
    return Object.fromEntries(there.map(({ name, status }) => [name, status]))
  }

  it("keeps a portrait that was sent, also when it is sent again, and removes one that was not", async () => {
    const [first] = [await portraitOf(ada, "first"), await portraitOf(ada, "unsent")]
    expect(await app.saveProfile(ada, "Ada", first)).toBeUndefined()
    expect(await filesOf(ada)).toEqual({ first: "Uploaded", unsent: "Pending" })
    await site.letTimePass(25 * 3_600_000)
    expect(await filesOf(ada)).toEqual({ first: "Uploaded" })
    expect(await app.saveProfile(ada, "Countess", first)).toBeUndefined()
    expect(await filesOf(ada)).toEqual({ first: "Uploaded" })
    const { portrait } = await app.loadProfile(ada)
    expect(await (await fetch(portrait[0]!.previewUrl)).text()).toBe("a picture")
  })

  it("has one portrait after it was replaced, and none after it was removed", async () => {
    const [first, second] = [await portraitOf(ada, "first"), await portraitOf(ada, "second")]
    await app.saveProfile(ada, "Ada", first)
    await app.saveProfile(ada, "Ada", second)
    expect(await filesOf(ada)).toEqual({ second: "Uploaded" })
    expect(await app.saveProfile(ada, "Ada", null)).toBeUndefined()
    expect(await filesOf(ada)).toEqual({})
    expect(app.database.profiles.get(ada)).toEqual({ name: "Ada", portrait: null })
    expect((await app.loadProfile(ada)).portrait).toEqual([])
    expect(await app.saveProfile(ada, "Ada", null)).toBeUndefined()
  })

  it("has one portrait after two saves at once, and it is the one of the row", async () => {
    const [first, second, third] = [
      await portraitOf(ada, "first"),
      await portraitOf(ada, "second"),
      await portraitOf(ada, "third"),
    ]
    await app.saveProfile(ada, "Ada", first)
    await Promise.all([app.saveProfile(ada, "Ada", second), app.saveProfile(ada, "Ada", third)])
    expect(await filesOf(ada)).toEqual({ third: "Uploaded" })
    expect(app.database.profiles.get(ada)).toEqual({ name: "Ada", portrait: third })
  })

  it.each([
    ["somebody else's", () => portraitOf(eve, "hers")],
    ["no key", () => Promise.resolve("<script>")],
    ["empty", () => Promise.resolve("")],
    ["of a file that is gone", () => portraitOf(ada, "gone").then((key) => api.deleteFiles(key).then(() => key))],
  ])("leaves the row and its file as they are where the key is %s", async (whose, makeKey) => {
    const first = await portraitOf(ada, "first")
    await app.saveProfile(ada, "Ada", first)
    const before = await filesOf(eve)
    expect(await app.saveProfile(ada, "Eve", await makeKey())).toBe(missing)
    expect(app.database.profiles.get(ada)).toEqual({ name: "Ada", portrait: first })
    expect(await filesOf(ada)).toEqual({ first: "Uploaded" })
    expect(await filesOf(eve)).toEqual({ ...before, ...(whose === "somebody else's" && { hers: "Pending" }) })
    expect(await app.saveProfile(ada, "Ada", first)).toBeUndefined()
  })

  it("says that a form came too late", async () => {
    const late = await portraitOf(ada, "late")
    await site.letTimePass(25 * 3_600_000)
    expect(await app.saveProfile(ada, "Ada", late)).toBe(missing)
    expect(app.database.profiles.has(ada)).toBe(false)
  })

  it("has the photos of an album that were sent, in their order, and no other", async () => {
    const keys: Array<string> = []
    for (const name of ["a", "b", "c", "unsent"]) keys.push(await upload(ada, name))
    const [a, b, c] = keys as [string, string, string]
    expect(await app.saveAlbum(ada, { title: "Summer", photos: [b, a] })).toBeUndefined()
    expect(await filesOf(ada)).toEqual({ a: "Uploaded", b: "Uploaded", c: "Pending", unsent: "Pending" })
    expect(await app.saveAlbum(ada, { title: "Summer", photos: [c, b] })).toBeUndefined()
    expect(await filesOf(ada)).toEqual({ b: "Uploaded", c: "Uploaded", unsent: "Pending" })
    const { photos } = await app.loadAlbum(ada)
    expect(photos.map(({ name }) => name)).toEqual(["c", "b"])
    expect((await fetch(photos[0]!.previewUrl)).status).toBe(200)
  })

  it("removes of an album what a form has listed and does not send, and nothing that it has never listed", async () => {
    const keys: Array<string> = []
    for (const name of ["a", "b", "newer"]) keys.push(await upload(ada, name))
    const [a, b, newer] = keys as [string, string, string]
    await app.saveAlbum(ada, { title: "Spring", photos: [a, b] })
    await app.saveAlbum(ada, { title: "Spring", photos: [a, b, newer] }, [a, b])
    expect(await app.saveAlbum(ada, { title: "Summer", photos: [b] }, [a, b])).toBeUndefined()
    expect(app.database.albums.get(ada)).toEqual({ title: "Summer", photos: [b, newer] })
    expect(await filesOf(ada)).toEqual({ b: "Uploaded", newer: "Uploaded" })
    // What is no file of the row is of no use to who writes it.
    const hers = await upload(eve, "hers")
    await app.saveAlbum(eve, { title: "Hers", photos: [hers] })
    expect(await app.saveAlbum(ada, { title: "Summer", photos: [newer] }, [b, hers, "<script>"])).toBeUndefined()
    expect([await filesOf(ada), await filesOf(eve)]).toEqual([{ newer: "Uploaded" }, { hers: "Uploaded" }])
  })

  it("gives a form of HTML back with all its keys while the ingest is away, and what it has listed", async () => {
    const [row, fresh] = [await upload(ada, "row"), await upload(ada, "fresh")]
    await app.saveAlbum(ada, { title: "Spring", photos: [row] })
    const form = new FormData()
    for (const [name, value] of [
      ["title", "Summer"],
      ["photos", fresh],
      ["seen", row],
    ] as const)
      form.append(name, value)
    const post = () =>
      app.POST(
        new Request("http://app.test/api/album", {
          method: "POST",
          headers: { cookie: `session=session-${ada}` },
          body: form,
        }),
      )
    site.isIngestAway = true
    const answer = await post().finally(() => (site.isIngestAway = false))
    expect(answer.status).toBe(422)
    const page = await answer.text()
    for (const part of ["That could not be saved. Try again.", "Summer", fresh, "Photo 1 (cannot be shown now)"])
      expect(page).toContain(part)
    expect(page).toContain(`<input type="hidden" name="seen" value="${row}" />`)
    expect(app.database.albums.get(ada)).toEqual({ title: "Spring", photos: [row] })
    expect((await post()).status).toBe(303)
    expect(await filesOf(ada)).toEqual({ fresh: "Uploaded" })
  })

  it("takes no file of the user's that came through another route", async () => {
    const [portrait, photo] = [await portraitOf(ada, "portrait"), await upload(ada, "photo")]
    expect(await app.saveProfile(ada, "Ada", photo)).toBe(missing)
    expect(await app.saveAlbum(ada, { title: "Summer", photos: [photo, portrait] })).toBe(missing)
    expect(await filesOf(ada)).toEqual({ portrait: "Pending", photo: "Pending" })
    expect([app.database.profiles.get(ada), app.database.albums.get(ada)]).toEqual([undefined, undefined])
  })

  it("names the files that cannot be claimed, and the page marks these rows alone", async () => {
    const [mine, hers] = [await upload(ada, "mine"), await upload(eve, "hers")]
    const error: unknown = await api.claimFiles([mine, hers], { owner: ada, slug: "photos" }).catch((thrown) => thrown)
    const missing = app.missingOf(error)
    expect(missing).toEqual([hers])
    expect([app.missingOf(new Error("other")), app.missingOf(undefined)]).toEqual([[], []])
    const photos = [
      { key: mine, name: "mine.png" },
      { key: hers, name: "hers.png" },
    ]
    const rows = renderToString(createElement(app.PhotosField, { photos, missing })).split("<li").slice(1)
    expect(rows.map((row) => row.includes("Gone. Remove it"))).toEqual([false, true])
  })

  it("names the button and the group of each of two fields by the legend that is seen", () => {
    const html = renderToString(createElement(app.TwoFields))
    for (const legend of ["photos-legend", "portrait-legend"]) {
      expect(html).toContain(`<legend id="${legend}">`)
      expect(html).toContain(`role="group" aria-labelledby="${legend}"`)
      expect(html).toMatch(new RegExp(`<button[^>]* aria-labelledby="[^" ]+ ${legend}"`))
    }
  })

  it("refuses somebody else's photos by both methods, and touches none", async () => {
    app.database.users.set("session-of-eve", eve)
    const [hers, mine] = [await upload(ada, "hers"), await upload(eve, "mine")]
    await app.saveAlbum(ada, { title: "Hers", photos: [hers] })
    const headers = { cookie: "session=session-of-eve" }
    const form = new FormData()
    form.append("title", "Mine")
    for (const key of [mine, hers]) form.append("photos", key)
    const json = JSON.stringify({ title: "Mine", photos: [mine, hers] })
    for (const [method, body] of [["PUT", json] as const, ["POST", form] as const]) {
      const answer = await app[method](new Request("http://app.test/api/album", { method, headers, body }))
      expect(answer.status).toBe(422)
      expect(await answer.text()).toContain(missing)
    }
    expect(app.database.albums.has(eve)).toBe(false)
    expect([await filesOf(ada), await filesOf(eve)]).toEqual([{ hers: "Uploaded" }, { mine: "Pending" }])
  })

  it("has nothing of a user who has closed the account", async () => {
    const [portrait, photo] = [
      await portraitOf(ada, "portrait"),
      await upload(ada, "photo"),
      await upload(ada, "unsent"),
    ]
    await upload(eve, "hers")
    await app.saveProfile(ada, "Ada", portrait)
    await app.saveAlbum(ada, { title: "Summer", photos: [photo] })
    await app.deleteUser(ada)
    expect([await filesOf(ada), await filesOf(eve)]).toEqual([{}, { hers: "Pending" }])
    expect([app.database.profiles.has(ada), app.database.albums.has(ada)]).toEqual([false, false])
  })
})
