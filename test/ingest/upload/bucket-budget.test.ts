import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it, onTestFinished } from "vitest"
import { createSqliteCatalog } from "../../../src/ingest.ts"
import { createS3BlobStore, createSqliteBlobJournal } from "../../../src/s3.ts"
import { makeFolder } from "../../make-folder.ts"
import { createGrant, eventually, putRaw, randomContent, sign, startIngest } from "../circle.ts"
import { startDouble } from "../storage/s3/start-double.ts"

const mebibyte = 1024 * 1024

/** A call of a driver. */
interface Call {
  readonly name: string
  readonly args: ReadonlyArray<unknown>
  /** ms */
  readonly at: number
}

/** Remembers the calls of a driver. */
const record = <A extends object>(driver: A, made: Array<Call>): A =>
  new Proxy(driver, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== "function") return value
      return (...args: ReadonlyArray<unknown>): unknown => {
        made.push({ name: String(name), args, at: performance.now() })
        return Reflect.apply(value, target, args)
      }
    },
  })

const start = async () => {
  const folder = await makeFolder()
  const double = await startDouble()
  onTestFinished(() => double.close())
  double.discardsParts = true
  const asked: Array<Call> = []
  const noted: Array<Call> = []
  const journal = record(createSqliteBlobJournal({ file: join(folder, "journal.sqlite") }), noted)
  const catalog = record(createSqliteCatalog({ file: join(folder, "catalog.sqlite") }), asked)
  const ingest = await startIngest({ store: createS3BlobStore({ ...double.settings, journal }), catalog })
  await eventually(() => noted.length > 0)
  noted.length = 0
  return { ...ingest, double, asked, noted, folder }
}

it("one file of one part is one request, two transactions of the catalog, and none of the journal", async () => {
  const { url, double, asked, noted } = await start()
  const content = randomContent(200_000)
  const grant = createGrant({ size: content.length, type: "application/octet-stream" })
  const signed = await sign(url, grant)
  asked.length = double.requests.length = 0
  expect((await putRaw(signed, content)).status).toBe(200)
  await sleep(50)
  expect(double.requests.map(({ operation }) => operation)).toEqual(["PutObject"])
  expect(noted).toEqual([])
  const ofThisFile = asked.filter(({ args }) => JSON.stringify(args).includes(grant.key))
  expect(ofThisFile.map(({ name }) => name)).toEqual(["begin", "commit"])
})

it("a file of many parts is noted four times a second at most, however fast they end", async () => {
  const { url, double, noted } = await start()
  const parts = 24
  const size = parts * 8 * mebibyte
  const signed = await sign(url, createGrant({ size, type: "application/octet-stream" }))
  const part = randomContent(8 * mebibyte)
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      await sleep(80)
      controller.enqueue(part)
      if (++sent === parts) controller.close()
    },
  })
  const answer = await fetch(signed, {
    method: "PUT",
    body,
    headers: { "content-type": "application/octet-stream" },
    duplex: "half",
  } as RequestInit)
  expect(answer.status).toBe(200)
  expect(double.requests.filter(({ operation }) => operation === "UploadPart")).toHaveLength(parts)
  // It is begun, its upload is noted; the last parts, and that it is completed; then it is forgotten.
  const beside = 5
  const writes = noted.filter(({ name }) => name === "write" || name === "claim" || name === "forget")
  const seconds = (writes.at(-1)!.at - writes[0]!.at) / 1000
  expect(writes.length).toBeLessThan(parts)
  expect(writes.length - beside).toBeLessThanOrEqual(Math.ceil(seconds * 4))
})
