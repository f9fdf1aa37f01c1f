import { join } from "node:path"
import { beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { type BucketChoice, describeDataFolder, type StoreChoice } from "../../src/cli/deployment/deployment.ts"
import { noteStart } from "../../src/cli/deployment/started-with.ts"
import { type Double, type Fault, startDouble } from "../ingest/storage/s3/start-double.ts"
import { makeFolder } from "../make-folder.ts"
import { type CommandOptions, runCommand } from "./run-command.ts"
import { openData } from "./stored-files.ts"

const noKeys = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "", AWS_SESSION_TOKEN: "" }
const keys = { ...noKeys, SLUICE_S3_ACCESS_KEY_ID: "double-key", SLUICE_S3_SECRET_ACCESS_KEY: "double-secret" }

let double: Double
let data: string
beforeEach(async () => {
  double = await startDouble()
  onTestFinished(() => double.close())
  data = join(await makeFolder(), "data")
  await openData(data).catalog.close()
})

const toChoice = (): BucketChoice => ({
  kind: "s3",
  endpoint: double.url,
  region: "test-1",
  bucket: "double",
  prefix: "files/",
  addressing: "path",
})

/** As an ingest notes where its files are. */
const note = (store: StoreChoice = toChoice(), reads: "proxy" | "redirect" = "proxy") =>
  noteStart(
    { folder: describeDataFolder(data), database: null, store, describe: () => data },
    { callbackNetworks: "public", reads, scanner: null, url: null, keyId: null },
  )

/** What the doctor says of the bucket, or of its rules. */
const examine = async (
  args: ReadonlyArray<string> = [],
  env: CommandOptions["env"] = keys,
  of: "Bucket" | "Bucket rules" = "Bucket",
) => {
  const { stdout, stderr } = await runCommand(["doctor", "--json", "--data", data, ...args], { env })
  expect(stderr).toBe("")
  expect(stdout).not.toContain("double-key")
  expect(stdout).not.toContain("double-secret")
  const checks: ReadonlyArray<Record<string, string | null>> = JSON.parse(stdout).checks
  expect(checks.map(({ check }) => check)).not.toContain("Store")
  return checks.find(({ check }) => check === of)
}

const help = "node_modules/sluice/docs/troubleshooting.md#doctor-bucket"

describe("sluice doctor, of a bucket", { timeout: 60_000 }, () => {
  it("says nothing of one where files are on disk", async () => {
    await note({ kind: "disk" })
    expect(await examine()).toBeUndefined()
  })

  it("tries the bucket that was noted, says how fast it answers, and leaves nothing in it", async () => {
    await note()
    expect(await examine()).toEqual({
      check: "Bucket",
      status: "ok",
      message: expect.stringMatching(
        /^files are in the bucket double of http:\S+, below files\/, which puts, reads, lists and deletes, also in parts, and takes [\d.]+ m?s for a small answer$/,
      ),
      advice: null,
      help: null,
    })
    expect([...double.objects.keys(), ...double.uploads.keys()]).toEqual([])
    const named = [
      "--s3-bucket",
      "double",
      "--s3-endpoint",
      double.url,
      "--s3-region",
      "test-1",
      "--s3-prefix",
      "other",
    ]
    expect(await examine(named)).toMatchObject({ status: "ok", message: expect.stringContaining(", below other/,") })
    const { stdout } = await runCommand(["doctor", "--data", data], { env: keys })
    expect(stdout).toMatch(/✓ Bucket +files are in the bucket double of /)
  })

  it("says which variables hold the keys, where there are none or half a pair", async () => {
    await note()
    expect(await examine([], noKeys)).toEqual({
      check: "Bucket",
      status: "warning",
      message: expect.stringMatching(
        /^Files are in the bucket double of .*, which was not looked at\. A bucket needs keys/,
      ),
      advice: expect.stringMatching(
        /^Set the variables SLUICE_S3_ACCESS_KEY_ID and SLUICE_S3_SECRET_ACCESS_KEY, or AWS_/,
      ),
      help,
    })
    expect(await examine([], { ...keys, SLUICE_S3_SECRET_ACCESS_KEY: "" })).toMatchObject({
      status: "warning",
      advice: expect.stringMatching(/^Set SLUICE_S3_SECRET_ACCESS_KEY too\. /),
    })
    expect(double.requests).toEqual([])
  })

  it("warns of one that stores wrong bytes, and says which lists no unfinished uploads", async () => {
    await note()
    double.acceptsWrongBytes = true
    const text = "<ListMultipartUploadsResult></ListMultipartUploadsResult>"
    double.onRequest(({ operation }) =>
      operation === "ListMultipartUploads" ? { kind: "answer", status: 200, text } : undefined,
    )
    expect(await examine()).toMatchObject({
      status: "warning",
      message: expect.stringMatching(
        /lists unfinished uploads by their whole names alone.*\. It does not refuse bytes /,
      ),
      help,
    })
    double.acceptsWrongBytes = false
    expect(await examine()).toMatchObject({
      status: "ok",
      message: expect.stringMatching(/; it lists unfinished uploads by their whole names alone, so let a rule /),
    })
  })

  it("tries its URLs where browsers are sent to it, as it was noted or is said: pages, and the address", async () => {
    await note(toChoice(), "redirect")
    expect(await examine()).toMatchObject({
      status: "warning",
      message: expect.stringMatching(/ no rule of CORS lets pages do that: /),
      advice: expect.stringMatching(/^Give it the rule /),
      help,
    })
    expect(await examine(["--reads", "proxy"])).toMatchObject({ status: "ok" })
    double.allowsPages = true
    expect(await examine()).toMatchObject({
      status: "warning",
      message: expect.stringMatching(
        / Browsers are sent there for files, by http, and pages of https load nothing from there\.$/,
      ),
    })
    double.onRequest(({ query }) =>
      query.has("X-Amz-Signature") ? { kind: "answer", status: 403, code: "AccessDenied" } : undefined,
    )
    expect(await examine()).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/Reading by a presigned URL failed: it was answered with 403 \(AccessDenied\)/),
    })
    await note()
    expect(await examine()).toMatchObject({ status: "ok" })
    expect(await examine([], { ...keys, SLUICE_READS: "redirect" })).toMatchObject({ status: "failed" })
    expect([...double.objects.keys()]).toEqual([])
  })

  it.each<readonly [what: string, operation: string, fault: Fault, message: RegExp, advice: RegExp]>([
    [
      "a right is missing",
      "CreateMultipartUpload",
      { kind: "answer", status: 403, code: "AccessDenied" },
      /which does not do what an ingest needs\. A multipart upload failed: S3 CreateMultipartUpload was answered with 403/,
      /^Give the keys of SLUICE_S3_ACCESS_KEY_ID and SLUICE_S3_SECRET_ACCESS_KEY the rights /,
    ],
    [
      "ranges are ignored",
      "GetObject",
      { kind: "answer", status: 200, text: "abcde" },
      /Reading a range failed: /,
      /^See \S+bucket\.md for what a bucket has to do\.$/,
    ],
  ])("says what it does not do: %s", async (_, failing, fault, message, advice) => {
    await note()
    double.onRequest(({ operation }) => (operation === failing ? fault : undefined))
    expect(await examine()).toEqual({
      check: "Bucket",
      status: "failed",
      message: expect.stringMatching(message),
      advice: expect.stringMatching(advice),
      help,
    })
  })

  it("says that nothing answers, and ends with 1", async () => {
    await note()
    await double.close()
    const { code, stdout } = await runCommand(["doctor", "--data", data], { env: keys })
    expect(code).toBe(1)
    expect(stdout).toMatch(/✗ Bucket .*ECONNREFUSED.*\n +Look at the endpoint .*\n +node_modules\S+#doctor-bucket\n/)
  })

  it("says what its rules do: unfinished uploads, files, and parts that pages send", async () => {
    await note()
    const examineRules = (...args: ReadonlyArray<string>) => examine(args, keys, "Bucket rules")
    expect(await examineRules()).toEqual({
      check: "Bucket rules",
      status: "warning",
      message: expect.stringMatching(/^No rule of its lifecycle aborts unfinished uploads: /),
      advice: expect.stringContaining("docs/bucket.md"),
      help: `${help}-rules`,
    })
    const lifecycle = (rules: string) =>
      `<LifecycleConfiguration><Rule><ID>tidy</ID><Status>Enabled</Status>${rules}</Rule></LifecycleConfiguration>`
    const abort = (days: number) =>
      `<AbortIncompleteMultipartUpload><DaysAfterInitiation>${days}</DaysAfterInitiation></AbortIncompleteMultipartUpload>`
    double.lifecycle = lifecycle(abort(14))
    const origin = "http://127.0.0.1:9"
    expect(await examineRules("--callback-url", `${origin}/api/sluice`)).toMatchObject({
      status: "ok",
      message: `unfinished uploads are aborted after 14 days, and no rule deletes files; pages of ${origin} may not, as far as its CORS says, send parts straight to it, which only \`transport: "direct"\` needs`,
    })
    double.allowsPages = true
    expect(await examineRules("--callback-url", `${origin}/api/sluice`)).toMatchObject({
      message: expect.stringContaining(`pages of ${origin} may send parts`),
    })
    double.lifecycle = lifecycle(abort(1))
    expect(await examineRules()).toMatchObject({
      status: "warning",
      message: expect.stringContaining("after 1 day:"),
    })
    double.lifecycle = lifecycle(`${abort(14)}<Expiration><Days>30</Days></Expiration>`)
    expect(await examineRules()).toMatchObject({
      status: "failed",
      message: expect.stringMatching(/^The rule tidy of its lifecycle deletes files by their age/),
    })
    const denied = { kind: "answer", status: 403, code: "AccessDenied" } as const
    double.onRequest(({ operation }) => (operation === "GetBucketLifecycleConfiguration" ? denied : undefined))
    expect(await examineRules()).toMatchObject({
      status: "ok",
      message: "its lifecycle could not be read (AccessDenied)",
    })
  })
})
