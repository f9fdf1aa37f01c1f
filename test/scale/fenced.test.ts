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

it.each([
  ["the body", undefined, 24],
  ["a new multipart upload", "CreateMultipartUpload", 24],
  ["a part", "UploadPart", 24],
  ["the completion", "CompleteMultipartUpload", 24],
  ["the object of a file of one part", "PutObject", 3],
])(
  "that stands still within %s changes nothing once another has finished it",
  { timeout: 120_000 },
  async (_title, operation, size) => {
    const [first, second, third] = deployment.members as [
      Deployment["members"][0],
      Deployment["members"][0],
      Deployment["members"][0],
    ]
    const { double } = deployment
    const content = randomBytes(size * mebibyte)
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
    const parts = () => double.requests.filter((request) => request.operation === "UploadPart").length
    const before = parts()
    let isBodyHeld = false
    const answered: Promise<Answer | undefined> = uploader.put(first.url()!, grant, 0, split(content), {
      pause: 1,
      onPiece: (index) => {
        // After the first two parts and something of the third.
        if (operation === undefined && index === 70) isBodyHeld = true
      },
    })
    await eventually(
      () => (operation === undefined ? isBodyHeld && parts() - before >= 2 : isHeld),
      "the first writer is where it is to stop",
    )
    first.signal("SIGSTOP")
    const offset = await uploader.askOffset(second.url()!, grant)
    let finished: Answer | undefined
    for (let at = offset; finished === undefined;) {
      const answer = await uploader.put(second.url()!, grant, at, [content.subarray(at)])
      if (answer?.status === 200) finished = answer
      else if (answer?.status === 409) at = await uploader.askOffset(third.url()!, grant)
      else if (answer?.status !== 423) throw new Error(`${String(answer?.status)} ${String(answer?.body)}`)
    }
    const known = await observe(grant)
    expect(known.row.status).toBe("Uploaded")
    expect(known.etag).toBeDefined()
    first.signal("SIGCONT")
    going.resolve()
    double.onRequest()
    const late = await answered
    // It may say that the file is there.
    if (late?.status === 200) expect(JSON.parse(late.body.toString()).fileHash).toBe(known.row.file_hash)
    else expect([undefined, 409, 423, 503]).toContain(late?.status)
    await sleep(1000)
    expect(await observe(grant)).toEqual(known)
    expect(await uploader.askOffset(first.url()!, grant)).toBe(content.length)
    for (const { url } of deployment.members) {
      const read = await uploader.read(url()!, grant)
      expect(read?.status).toBe(200)
      expect(read?.body.equals(content)).toBe(true)
    }
    await uploader.call(third.url()!, "deleteFiles", { fileKeys: [grant.key] })
    await eventually(() => double.objects.size + double.uploads.size === 0, "nothing is left of it in the bucket")
  },
)
