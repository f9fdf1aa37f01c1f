import { createHash, randomUUID } from "node:crypto"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest"
import { testBlobStore } from "../../../../src/conformance.ts"
import { checkBucket, createS3BlobStore, createSqliteBlobJournal } from "../../../../src/s3.ts"
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
      await allowPages(settings)
      expect(await checkBucket(asked)).toMatchObject({ allowsPages: true })
    }),
  )

  it(
    "is a bucket that an ingest starts with",
    withServer(async (settings) => {
      expect(await checkBucket({ ...settings, prefix: "check/" })).toMatchObject({ refusesWrongBytes: true })
    }),
  )
})

/** The rule of CORS that `docs/bucket.md` has. */
const allowPages = async (settings: Radosgw["settings"]): Promise<void> => {
  const [, json = ""] = /^```json\n(\{\n  "CORSRules"[^]*?)^```$/m.exec(await readFile(page, "utf8")) ?? []
  const { CORSRules: rules } = JSON.parse(json) as { CORSRules: ReadonlyArray<Record<string, ReadonlyArray<string>>> }
  const toXml = (rule: (typeof rules)[number]) =>
    Object.entries(rule).map(([name, values]) =>
      [values].flat().map((value) => `<${name.replace(/s$/, "")}>${value}</${name.replace(/s$/, "")}>`),
    )
  const list = rules.map((rule) => `<CORSRule>${toXml(rule).flat().join("")}</CORSRule>`)
  const body = new TextEncoder().encode(`<CORSConfiguration>${list.join("")}</CORSConfiguration>`)
  const requests = createS3Requests(settings)
  const headers = { "content-md5": createHash("md5").update(body).digest("base64") }
  await requests.send({ operation: "PutBucketCors", method: "PUT", query: { cors: "" }, headers, body: [body] })
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
