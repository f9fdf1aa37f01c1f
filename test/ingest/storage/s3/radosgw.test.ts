import { randomUUID } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, type TestContext } from "vitest"
import { testBlobStore } from "../../../../src/conformance.ts"
import { checkBucket, createS3BlobStore, createSqliteBlobJournal } from "../../../../src/s3.ts"
import { skipLacking } from "../../../skip-lacking.ts"
import { checks, runCheck } from "./checks.ts"
import { type Missing, type Radosgw, startRadosgw } from "./start-radosgw.ts"

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

  it(
    "is a bucket that an ingest starts with",
    withServer(async (settings) => {
      expect(await checkBucket({ ...settings, prefix: "check/" })).toMatchObject({ refusesWrongBytes: true })
    }),
  )
})

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
