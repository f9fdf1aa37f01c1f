import { describe, expect, expectTypeOf, test } from "vitest"
import { type DescribedFile, SluiceApi, SluiceFile } from "../../src/api.ts"
import type { InitialFile } from "../../bindings/react.ts"
import { pixel } from "../browser/pixel.ts"
import { encodedAppId, putRaw, sign, startIngest, token } from "../ingest/circle.ts"
import { labelled } from "../ingest/labelled.ts"

const start = async () => {
  const ingest = await startIngest({ defaultAcl: "private" })
  return { ingest, api: new SluiceApi({ token, ingestUrl: ingest.url }) }
}

/** Stores a file, and says its key. */
const store = async (api: SluiceApi, file: File, options: Parameters<SluiceApi["uploadFiles"]>[1] = {}) => {
  const { data, error } = await api.uploadFiles(file, options)
  if (error !== null) throw error
  return data.key
}

const picture = (name: string, type = "image/png") => new File([pixel], name, { type })
const read = async (url: string | undefined) => Buffer.from(await (await fetch(url!)).arrayBuffer())

describe("describeFiles", () => {
  test("describes what components list, in the order of the keys, each file once", async () => {
    const { api } = await start()
    const photo = await store(api, picture("photo.png"))
    const report = await store(api, new File(["%PDF-1.7"], "report.pdf", { type: "application/pdf" }))
    const described = await api.describeFiles([report, photo, report])
    expect(described).toEqual([
      { key: report, name: "report.pdf", size: 8, type: "application/pdf" },
      { key: photo, name: "photo.png", size: pixel.length, type: "image/png", previewUrl: expect.any(String) },
    ])
    expect(await read(described[1]!.previewUrl)).toEqual(Buffer.from(pixel))
    expect(await api.describeFiles(photo)).toMatchObject([{ key: photo }])
    expect(await api.describeFiles([])).toEqual([])
    expectTypeOf<DescribedFile>().toExtend<InitialFile>()
  })

  test("leaves out what is not there, what is somebody else's, and what a form may hold besides", async () => {
    const { api } = await start()
    const hers = await store(api, picture("hers.png"), { labels: { owner: "her" } })
    const gone = await store(api, picture("gone.png"), { labels: { owner: "him" } })
    const his = await store(api, picture("his.png"), { labels: { owner: "him" } })
    await api.deleteFiles(gone)
    const given = [
      "",
      "x",
      "../..",
      "a\0",
      `${encodedAppId}nothing`,
      "k".repeat(100_000),
      {},
      gone,
      hers,
      his,
    ] as Array<string>
    expect(await api.describeFiles(given, { owner: "him" })).toMatchObject([{ key: his }])
    expect(await api.describeFiles(given)).toMatchObject([{ key: hers }, { key: his }])
  })

  test("a public picture has one URL, a private one is signed for as long as is said, and what no browser shows has none", async () => {
    const { api, ingest } = await start()
    const open = await store(api, picture("open.png"), { acl: "public-read" })
    const closed = await store(api, picture("closed.webp"))
    const raw = await store(api, new SluiceFile(["II*\0"], "raw.tiff", { type: "image/tiff" }))
    const [first, second, third] = await api.describeFiles([open, closed, raw], { expiresIn: "2 hours" })
    expect(first!.previewUrl).toBe(`${ingest.url}/f/${open}`)
    expect(await read(first!.previewUrl)).toEqual(Buffer.from(pixel))
    const expires = Number(new URL(second!.previewUrl!).searchParams.get("expires")) - Date.now()
    expect(expires / 3_600_000).toBeCloseTo(2, 1)
    expect(third).not.toHaveProperty("previewUrl")
  })

  test("says of a file that it is being checked, and gives no URL for it", async () => {
    const { api, ingest } = await start()
    const grant = await labelled({ hold: true }, { name: "new.png", type: "image/png", size: pixel.length })
    await putRaw(await sign(ingest.url, grant), pixel)
    const { key } = grant
    expect(await api.describeFiles(key)).toMatchObject([{ key, isHeld: true }])
    expect((await api.describeFiles(key))[0]).not.toHaveProperty("previewUrl")
    await api.releaseFiles(key)
    expect((await api.describeFiles(key))[0]).not.toHaveProperty("isHeld")
  })

  test.each([
    ["a duration that is none", { expiresIn: "soon" }, "BAD_REQUEST"],
    ["an owner that was lost on the way", { owner: undefined }, "INVALID_CONFIG"],
    ["an option that does not exist", { expires: 5 }, "INVALID_CONFIG"],
  ])("refuses %s", async (_, options, code) => {
    const { api } = await start()
    await expect(api.describeFiles(`${encodedAppId}x`, options as object)).rejects.toMatchObject({ code })
  })
})
