import { createHash } from "node:crypto"
import { beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { createS3BlobStore } from "../../../../src/ingest/storage/s3/blob-s3.ts"
import { createMemoryBlobJournal } from "../../../../src/ingest/storage/s3/journal/memory.ts"
import { makeFolder } from "../../../make-folder.ts"
import { chunksOf } from "./drive-store.ts"
import { type Double, startDouble } from "./start-double.ts"

const hour = 3_600_000
const minutes = 60_000
const said = { type: "text/plain", disposition: "inline", cacheControl: "no-store" }
const statusOf = async (url: string, init?: RequestInit): Promise<number> => (await fetch(url, init)).status

/*
 * Several ingests go by the clock of their database, and a bucket by its own. Both are right here; the machine of this process
 * is an hour behind them, or ahead.
 */
describe.each([hour, -hour])("URLs of a store on a machine that is %i ms behind", (behind) => {
  let double: Double
  const now = () => Date.now() + behind
  const open = async () => {
    const store = createS3BlobStore(
      { ...double.settings, journal: createMemoryBlobJournal(), spill: await makeFolder() },
      { firstWait: 1 },
    )
    onTestFinished(() => store.close())
    return store
  }
  beforeEach(async () => {
    double = await startDouble()
    onTestFinished(() => double.close())
    double.skew = behind
  })

  it("read a blob from now on, until they end, and stay the same for as long", async () => {
    const store = await open()
    await store.claim("key", 1)
    await store.append("key", { epoch: 1, offset: 0, size: 5, body: chunksOf(Buffer.from("hello")) })
    const { ref } = await store.finish("key", { epoch: 1, size: 5 })
    const at = Math.floor(now() / (5 * minutes)) * 5 * minutes
    const request = { ...said, ref, at, expiresIn: 15 * 60 }
    const { url, expiresAt } = (await store.urlOf!("key", { ...request, now: now() }))!
    expect((await store.urlOf!("key", { ...request, now: now() + 20 }))!.url).toBe(url)
    expect(expiresAt).toBe(at + 15 * minutes)
    expect(await statusOf(url)).toBe(200)
    double.skew = behind + 16 * minutes
    expect(await statusOf(url)).toBe(403)
  })

  it("take parts until the URL of the upload ends", async () => {
    const store = await open()
    await store.claim("key", 1)
    const body = Buffer.alloc(9_000_000, 7).subarray(0, 8 * 1024 * 1024)
    const sha256 = createHash("sha256").update(body).digest("hex")
    const until = now() + 2 * minutes
    const grant = { epoch: 1, size: 9_000_000, parts: [{ number: 1, sha256 }], until, now: now() }
    const granted = await store.grantParts!("key", grant)
    if (granted.kind !== "granted") throw new Error(granted.why)
    const [upload] = granted.uploads
    expect(Math.abs(upload!.expires - until)).toBeLessThan(2000)
    const { url, headers } = upload!
    expect(await statusOf(url, { method: "PUT", headers, body })).toBe(200)
    double.skew = behind + 3 * minutes
    expect(await statusOf(url, { method: "PUT", headers, body })).toBe(403)
  })
})
