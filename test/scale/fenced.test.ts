import { randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, expect, it } from "vitest"
import type { UploadGrant } from "../../src/protocol.ts"
import type { Answer } from "../reliability/exchange.ts"
import { createRandom } from "../reliability/random.ts"
import { apiKey, appId, type Deployment, schema, startDeployment } from "./start-deployment.ts"
import { createUploader } from "./uploader.ts"
import { walkUsage } from "./walk.ts"

const mebibyte = 1024 * 1024
const removeAgainAfter = 1000
const uploader = createUploader(appId, apiKey)

let deployment: Deployment

beforeAll(async () => {
  deployment = await startDeployment({
    random: createRandom(1),
    fell: console.log,
    sweepInterval: 200,
    bucket: { firstWait: 20, removeAgainAfter },
  })
})

afterAll(() => deployment.stop())

const eventually = async (condition: () => boolean | Promise<boolean>, what: string): Promise<void> => {
  for (const end = Date.now() + 30_000; !(await condition()); await sleep(20)) {
    if (Date.now() > end) throw new Error(`Not within 30 s: ${what}`)
  }
}

/** All that is known of a file and of its app, but the journal, whose rows go a little later. */
const observe = async ({ key }: UploadGrant) => {
  const { pool, double } = deployment
  const row = (await pool.query(`SELECT * FROM ${schema}.files WHERE key = $1`, [key])).rows[0]
  const object = [...double.objects].find(([name]) => name.endsWith(`${key}.${row.id}/${row.blob_ref}`))
  return { row, name: object?.[0], etag: object?.[1].etag, usage: await walkUsage(pool) }
}

const split = (bytes: Buffer, size = 256 * 1024): ReadonlyArray<Buffer> =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, index) => bytes.subarray(index * size, (index + 1) * size))

type Operation = "CreateMultipartUpload" | "UploadPart" | "CompleteMultipartUpload" | "PutObject"

/** An upload whose first writer stands still, so that others go on with it. */
const standStill = async (operation: Operation | undefined, content: Buffer, firstContent: Buffer) => {
  const [first, second, third] = deployment.members
  if (first === undefined || second === undefined || third === undefined) throw new Error("Three are needed.")
  const { double } = deployment
  const grant = await uploader.createGrant(content.length)
  let isHeld = false
  const going = Promise.withResolvers<void>()
  if (operation !== undefined) {
    double.onRequest(async (request) => {
      if (request.operation !== operation || isHeld) return
      isHeld = true
      await going.promise
    })
  }
  const countParts = () => double.requests.filter((request) => request.operation === "UploadPart").length
  const before = countParts()
  const answered: Promise<Answer | undefined> = uploader.put(first.url()!, grant, 0, split(firstContent), {
    pause: 1,
    onPiece: (index) => {
      // After the first two parts and something of the third.
      if (operation === undefined && index === 70) isHeld = true
    },
  })
  await eventually(
    () => isHeld && (operation !== undefined || countParts() - before >= 2),
    "the first writer is where it is to stop",
  )
  first.signal("SIGSTOP")
  const askOffset = () => uploader.askOffset(third.url()!, grant)
  return {
    grant,
    askOffset,
    /** Another one goes on until all bytes up to an offset are there. */
    goOn: async (end: number): Promise<void> => {
      for (let at = await uploader.askOffset(second.url()!, grant); ;) {
        const answer = await uploader.put(second.url()!, grant, at, [content.subarray(at, end)])
        if (answer?.status === 200) return
        if (answer?.status === 409) at = await askOffset()
        else if (answer?.status !== 423) throw new Error(`${String(answer?.status)} ${String(answer?.body)}`)
        if (at === end) return
      }
    },
    /** What the first one answers once it goes on. */
    wakeFirst: async (): Promise<Answer | undefined> => {
      first.signal("SIGCONT")
      going.resolve()
      double.onRequest()
      const late = await answered
      await sleep(1000)
      return late
    },
    expectContent: async (): Promise<void> => {
      for (const { url } of deployment.members) {
        const read = await uploader.read(url()!, grant)
        expect(read?.status).toBe(200)
        expect(read?.body.equals(content)).toBe(true)
      }
    },
    /** Deletes it, and expects that nothing is left of it. */
    remove: async (): Promise<void> => {
      await uploader.call(third.url()!, "deleteFiles", { fileKeys: [grant.key] })
      await eventually(() => double.objects.size + double.uploads.size === 0, "nothing is left of it in the bucket")
      const left = async () => (await deployment.pool.query(`SELECT key FROM ${schema}.blobs`)).rows
      await eventually(async () => (await left()).length === 0, "nothing is left of it in the journal")
    },
  }
}

it.each<[string, Operation | undefined, number, boolean]>([
  ["the body", undefined, 24, true],
  ["a new multipart upload", "CreateMultipartUpload", 24, false],
  ["a part", "UploadPart", 24, true],
  ["the completion", "CompleteMultipartUpload", 24, true],
  ["the object of a file of one part", "PutObject", 3, false],
])(
  "that stands still within %s changes nothing once another has finished it",
  { timeout: 120_000 },
  async (_title, operation, size, isSame) => {
    const content = randomBytes(size * mebibyte)
    // Where nothing of the first one is kept, its client may have sent other bytes.
    const upload = await standStill(operation, content, isSame ? content : randomBytes(content.length))
    await upload.goOn(content.length)
    const known = await observe(upload.grant)
    expect(known.row.status).toBe("Uploaded")
    expect(known.etag).toBeDefined()
    const late = await upload.wakeFirst()
    // It may say that the file is there.
    if (late?.status === 200) expect(JSON.parse(late.body.toString()).fileHash).toBe(known.row.file_hash)
    else expect([undefined, 409, 423, 503]).toContain(late?.status)
    expect(await observe(upload.grant)).toEqual(known)
    expect(await upload.askOffset()).toBe(content.length)
    await upload.expectContent()
    await upload.remove()
  },
)

it.each<[string, Operation | undefined, number]>([
  ["the body", undefined, 24],
  ["a new multipart upload", "CreateMultipartUpload", 24],
  ["a part", "UploadPart", 24],
  ["the object of a file of one part", "PutObject", 3],
])(
  "that stands still within %s changes nothing while another goes on with it",
  { timeout: 120_000 },
  async (_title, operation, size) => {
    const content = randomBytes(size * mebibyte)
    const upload = await standStill(operation, content, content)
    const offset = content.length - 500_000
    await upload.goOn(offset)
    const usage = await walkUsage(deployment.pool)
    const late = await upload.wakeFirst()
    expect([undefined, 409, 423, 503]).toContain(late?.status)
    expect(await upload.askOffset()).toBe(offset)
    expect(await walkUsage(deployment.pool)).toEqual(usage)
    await upload.goOn(content.length)
    await upload.expectContent()
    await upload.remove()
  },
)
