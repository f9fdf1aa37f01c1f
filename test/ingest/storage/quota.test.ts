import { expect, it } from "vitest"
import { fitsQuota, noUsage, refuseRegistration, sizeExpected, sizeKey } from "../../../src/ingest/storage/quota.ts"
import { catalogs, createGrant, eventually, putRaw, sign, startIngest } from "../circle.ts"

const problemOf = async (response: Response): Promise<string> => `${response.status} ${(await response.json()).code}`

it("keeps files out that the app's quota has no room for, before a byte is read", async () => {
  const { url, catalog } = await startIngest({ quota: 12 })
  for (let i = 0; i < 2; i++) expect((await putRaw(await sign(url, createGrant()), "hello")).status).toBe(200)
  const grant = createGrant({ name: "third.txt", size: 3 })
  const refused = await putRaw(await sign(url, grant), "hel")
  expect(refused.status).toBe(507)
  expect(await refused.json()).toMatchObject({ code: "QUOTA_EXCEEDED", detail: expect.stringContaining("third.txt") })
  expect(await catalog.get(grant.key)).toBeNull()
  const larger = await putRaw(await sign(url, createGrant({ size: 13 })), "x".repeat(13))
  const problem = await larger.json()
  expect([larger.status, problem]).toMatchObject([
    413,
    { code: "FILE_TOO_LARGE", detail: '"hello.txt", a file of 13B, is larger than all the storage of the app.' },
  ])
  expect(problem).not.toHaveProperty("data")
  expect((await putRaw(await sign(url, createGrant({ size: 2 })), "he")).status).toBe(200)
})

it("counts what was announced: of uploads that begin together only as many are taken as fit", async () => {
  const { url } = await startIngest({ quota: 15 })
  const urls = await Promise.all(Array.from({ length: 8 }, () => sign(url, createGrant())))
  const answers = await Promise.all(urls.map(async (each) => (await putRaw(each, "hello")).status))
  expect(answers.sort((a, b) => a - b)).toEqual([200, 200, 200, 507, 507, 507, 507, 507])
})

it("counts labels among what the catalog keeps of an app", () => {
  const free = 1000
  const usage = { ...noUsage, catalogBytes: 16 * 1024 * 1024 - 512 - free }
  expect(fitsQuota(usage, 0, 1, { owner: "o".repeat(100), path: "p".repeat(200) })).toBe(true)
  expect(fitsQuota(usage, 0, 1, { owner: "o".repeat(100), path: "p".repeat(201) })).toBe(false)
  expect(fitsQuota(usage, 0, 1, { owner: "é".repeat(126) })).toBe(false)
})

it("refuses paths that the catalog of an app has no room for, and keeps those that there are", async () => {
  for (const [, create] of catalogs) {
    const catalog = create()
    const { url } = await startIngest({ catalog, quota: 10 })
    const grant = createGrant()
    expect((await putRaw(await sign(url, grant), "hello")).status).toBe(200)
    const move = (path: string, quota: number) => {
      const changes = Array.from({ length: 1000 }, () => ({ file: { fileKey: grant.key }, path }))
      // Repeated changes of one file count once.
      return catalog.changeFiles({ appId: grant.appId, changes, now: Date.now(), quota })
    }
    expect(await move("p".repeat(1000), 10)).toBe(1000)
    const many = Array.from({ length: 6000 }, (_, i) => ({
      file: { fileKey: `${grant.key}${i}` },
      path: "p".repeat(1000),
    }))
    expect(await catalog.changeFiles({ appId: grant.appId, changes: many, now: Date.now(), quota: 10 })).toBe(
      "overQuota",
    )
  }
})

it("lets an upload go on that was taken, and gives its room back when it ends without a file", async () => {
  const { url, catalog } = await startIngest({ quota: 5, unfinishedTtl: 0, sweepInterval: 5 })
  const grant = createGrant({ expires: Date.now() + 900 })
  const signed = await sign(url, grant)
  expect(await problemOf(await putRaw(signed, "hel"))).toBe("409 RANGE_MISMATCH")
  expect(await problemOf(await putRaw(await sign(url, createGrant()), "hello"))).toBe("507 QUOTA_EXCEEDED")
  expect(await problemOf(await putRaw(signed, "l", 3))).toBe("409 RANGE_MISMATCH")
  await eventually(async () => (await catalog.get(grant.key))?.file.status === "Failed")
  expect((await putRaw(await sign(url, createGrant()), "hello")).status).toBe(200)
})

it.each(catalogs)(
  "an upload whose key another one takes over leaves no bytes that the quota does not count: %s",
  async (_, open) => {
    const { url, catalog } = await startIngest({ catalog: await open(), quota: 5 })
    const { key } = createGrant()
    const began = Date.now()
    for (const [index, registrationId] of ["one", "two", "three"].entries()) {
      const grant = createGrant({ key, slug: "avatar", registrationId, issuedAt: began + index })
      expect(await problemOf(await putRaw(await sign(url, grant), "hel"))).toBe("409 RANGE_MISMATCH")
    }
    // Long before the next sweep.
    await eventually(async () => (await catalog.listReclaimable(9)).length === 0)
    expect((await catalog.get(key))?.file).toMatchObject({ status: "Uploading", registrationId: "three" })
  },
)

it.each([
  ["no bounds", {}, undefined],
  ["room for both files", { expectedFiles: 5 }, undefined],
  ["room for one file only", { expectedFiles: 4 }, "tooManyExpected"],
  ["one is announced already", { expectedFiles: 4 }, undefined, ["a"]],
  ["room for their bytes", { expectedBytes: 1000 + 2 * 229 }, undefined],
  ["too little room for their bytes", { expectedBytes: 1000 + 2 * 229 - 1 }, "tooManyExpected"],
  ["one that is announced counts by what is added", { expectedBytes: 1000 + 229 }, undefined, ["a"]],
  ["a small quota, which bounds the catalog less", { quota: 1 }, undefined],
  ["a quota that the catalog has used up", { quota: 20_000_000 }, "overQuota", [], 20_000_000 - 457],
  ["a quota that has just room", { quota: 20_000_000 }, undefined, [], 20_000_000 - 458],
] as const)(
  "bounds what an app announces: %s",
  (_, bounds, refusal, announced: ReadonlyArray<string> = [], catalogBytes = 0) => {
    const usage = { ...noUsage, expectedFiles: 3, expectedBytes: 1000, catalogBytes }
    const bytesOf = (key: string) => sizeExpected(key, { bytes: 200, keys: 2 })
    expect([sizeKey("a"), bytesOf("a")]).toEqual([129, 229])
    const bytesBefore = (key: string) => (announced.includes(key) ? 229 : undefined)
    expect(refuseRegistration(usage, { fileKeys: ["a", "b"], bytes: 200, bounds }, bytesOf, bytesBefore)).toBe(refusal)
  },
)
