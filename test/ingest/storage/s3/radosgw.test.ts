import { createHash, randomUUID } from "node:crypto"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest"
import { testBlobStore } from "../../../../src/conformance.ts"
import { checkBucket, createS3BlobStore, createSqliteBlobJournal, readBucketRules } from "../../../../src/s3.ts"
import { createS3Requests } from "../../../../src/ingest/storage/s3/client/s3-request.ts"
import { skipLacking } from "../../../skip-lacking.ts"
import { redirectCases } from "../../reads/redirect-cases.ts"
import { checks, runCheck } from "./checks.ts"
import { type Missing, type Radosgw, startRadosgw } from "./start-radosgw.ts"

const page = join(import.meta.dirname, "../../../../docs/bucket.md")

let server: Radosgw | Missing
let folder: string

beforeAll(async () => {
  server = await startRadosgw()
})
afterAll(async () => {
  if ("stop" in server) await server.stop()
})

/** Runs what needs the server, or says that there is none. */
const withServer =
  (run: (settings: Radosgw["settings"]) => unknown) =>
  async (context: TestContext): Promise<void> => {
    if ("missing" in server) return skipLacking(context, server.missing)
    await run(server.settings)
  }

describe("Ceph's radosgw", () => {
  for (const check of checks)
    it(
      check.name,
      withServer((settings) => runCheck(check, settings)),
    )

  describe("reads by redirect", () => {
    for (const { name, run } of redirectCases) it(name, withServer(run))
  })

  it(
    "is a bucket whose URLs are read by pages once a rule of CORS lets them",
    withServer(async (settings) => {
      const asked = { ...settings, prefix: "urls/", triesUrls: true }
      expect(await checkBucket(asked)).toMatchObject({ allowsPages: false })
      await putRules(settings, "cors", `"GET", "HEAD"`)
      expect(await checkBucket(asked)).toMatchObject({ allowsPages: true })
    }),
  )

  it(
    "is a bucket whose rules are read as they are: none, and those of the docs",
    withServer(async (settings) => {
      const pageOrigin = "https://app.example.com"
      const asked = { ...settings, prefix: "rules/", pageOrigin }
      const none = { abortsAfter: null, deletesBy: null }
      expect(await readBucketRules(asked)).toEqual({ lifecycle: none, allowsParts: false })
      await putRules(settings, "lifecycle", "AbortIncompleteMultipartUpload")
      await putRules(settings, "cors", `"PUT"`)
      expect(await readBucketRules(asked)).toEqual({ lifecycle: { ...none, abortsAfter: 14 }, allowsParts: true })
      const elsewhere = await readBucketRules({ ...asked, pageOrigin: "https://other.example.com" })
      expect(elsewhere.allowsParts).toBe(false)
    }),
  )

  it(
    "is a bucket that an ingest starts with",
    withServer(async (settings) => {
      expect(await checkBucket({ ...settings, prefix: "check/" })).toMatchObject({ refusesWrongBytes: true })
    }),
  )
})

/** JSON as the tools of AWS take it, in the XML that they send. */
const toXml = (document: object): string =>
  Object.entries(document)
    .map(([name, value]) => {
      const values: ReadonlyArray<unknown> = Array.isArray(value) ? value : [value]
      const element = Array.isArray(value) ? name.replace(/s$/, "") : name
      const write = (one: unknown) => (typeof one === "object" && one !== null ? toXml(one) : String(one))
      return values.map((one) => `<${element}>${write(one)}</${element}>`).join("")
    })
    .join("")

/** Gives a bucket rules that `docs/bucket.md` has: of the documents with this text the first. */
const putRules = async (settings: Radosgw["settings"], kind: "cors" | "lifecycle", text: string): Promise<void> => {
  const documents = [...(await readFile(page, "utf8")).matchAll(/^```json\n(\{[^]*?)^```$/gm)].map(
    ([, json = ""]) => json,
  )
  const document = documents.find((json) => json.includes(text))
  expect(document, `docs/bucket.md has no document with ${text}`).toBeDefined()
  const root = kind === "cors" ? "CORSConfiguration" : "LifecycleConfiguration"
  const body = new TextEncoder().encode(`<${root}>${toXml(JSON.parse(document!))}</${root}>`)
  const requests = createS3Requests(settings)
  const headers = { "content-md5": createHash("md5").update(body).digest("base64") }
  await requests.send({ operation: `PutBucket ${kind}`, method: "PUT", query: { [kind]: "" }, headers, body: [body] })
  requests.close()
}

const open = (prefix: string) =>
  createS3BlobStore({
    ...(server as Radosgw).settings,
    prefix,
    journal: createSqliteBlobJournal({ file: join(folder, "journal.sqlite") }),
  })

let prefix: string
testBlobStore({ describe, test: (title, run) => it(title, withServer(run)) }, "Ceph's radosgw", {
  create: async () => {
    prefix = `${randomUUID()}/`
    folder = await mkdtemp(join(tmpdir(), "sluice-radosgw-"))
    return open(prefix)
  },
  reopen: async () => open(prefix),
  cleanUp: () => rm(folder, { recursive: true }),
})
