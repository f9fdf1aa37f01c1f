import {
  type Json,
  names,
  parseUploadRange,
  type StoredFile,
  type UploadGrant,
  type UploadResult,
} from "../protocol.ts"
import type { UntypedMockRoute } from "./mock-app.ts"
import { openMockBody } from "./mock-body.ts"
import type { MockControls } from "./mock-controls.ts"
import { toFailedResponse } from "./mock-failure.ts"
import { appendBytes, failUpload, type MockUpload, toFailure, toOffset } from "./mock-upload.ts"

/** A PUT or POST whose URL was verified. */
export interface MockPut {
  readonly request: Request
  readonly grant: UploadGrant
  readonly upload: MockUpload
  readonly route: UntypedMockRoute
  readonly controls: MockControls
  readonly ingestUrl: string
  /** Whether the upload still exists: a reset forgets it. */
  readonly isKnown: () => boolean
  readonly onResult: (result: UploadResult) => void
}

/** jsdom's `crypto` has no `subtle`, but Node's has. */
const subtleCrypto = (): SubtleCrypto =>
  crypto.subtle ??
  (
    globalThis as unknown as { process: { getBuiltinModule: (id: string) => { webcrypto: Crypto } } }
  ).process.getBuiltinModule("node:crypto").webcrypto.subtle

const hash = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  [...new Uint8Array(await subtleCrypto().digest("SHA-256", bytes))]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join("")

const toFile = async ({ grant, upload, ingestUrl }: MockPut): Promise<StoredFile> => ({
  key: grant.key,
  name: grant.name,
  size: grant.size,
  type: grant.type,
  customId: grant.customId ?? null,
  url: `${ingestUrl}/${names.path.file}/${grant.key}`,
  fileHash: await hash(upload.bytes),
  uploadedAt: Date.now(),
})

/** What the route's `onUploadComplete` would have returned, as it is after serialization to JSON. */
const runRoute = async ({ serverData }: UntypedMockRoute, file: StoredFile, { input }: MockUpload): Promise<Json> => {
  const returned = await (typeof serverData === "function" ? serverData({ file, input }) : serverData)
  return returned === undefined ? null : JSON.parse(JSON.stringify(returned))
}

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * `PUT` or `POST` of a signed URL at the mock: stores bytes, waits and fails where the test wants it to, and answers like the
 * ingest.
 *
 * Source: docs/protocol.md §10.
 */
export const respondMockPut = async (put: MockPut): Promise<Response> => {
  const { request, grant, upload, route, controls } = put
  const start = parseUploadRange(request.headers.get("range"))
  if (!start.ok) return toFailedResponse(toFailure(start.code, start.detail))
  if (upload.failure !== undefined) return toFailedResponse(upload.failure)
  upload.writer = request
  if (upload.result !== undefined) return Response.json(upload.result)

  const mismatch = () =>
    failUpload(upload, toFailure("RANGE_MISMATCH", `${upload.bytes.length} bytes are stored; resume from there.`))
  if (start.value !== upload.bytes.length) return mismatch()

  /** False when the client has disconnected or sent another request, or the mock was reset. */
  const isCurrent = () => put.isKnown() && upload.writer === request && !request.signal.aborted
  const body = await openMockBody(request)
  const storeUpTo = async (offset: number): Promise<boolean> => {
    const bytes = await body.take(offset - upload.bytes.length)
    if (!isCurrent()) return false
    appendBytes(upload, bytes)
    return true
  }

  const hold = controls.holdOf(upload.slug, grant.name)
  if (hold !== undefined) {
    if (!(await storeUpTo(Math.min(hold.options.after ?? grant.size, grant.size)))) return mismatch()
    hold.reach()
    await hold.released
    if (!isCurrent()) return mismatch()
  }
  const rule = controls.takeFailure(upload.slug, grant.name)
  if (!(await storeUpTo(rule === undefined ? grant.size + 1 : Math.min(rule.options.after ?? 0, grant.size)))) {
    return mismatch()
  }
  if (rule !== undefined) return failUpload(upload, rule.failure)
  if (upload.bytes.length < grant.size) return mismatch()
  if (upload.bytes.length > grant.size) {
    return failUpload(
      upload,
      toFailure("SIZE_MISMATCH", `More than the ${grant.size} bytes of ${grant.name} were sent.`),
    )
  }

  const delay = controls.delayOf(upload.slug)
  if (delay > 0) await sleep(delay)
  const file = await toFile(put)
  if (!isCurrent()) return mismatch()
  let serverData: Json
  try {
    serverData = await runRoute(route, file, upload)
  } catch (thrown) {
    return failUpload(
      upload,
      toFailure("CALLBACK_FAILED", `The mock's serverData of route ${upload.slug} threw: ${String(thrown)}`),
    )
  }
  if (!isCurrent()) return mismatch()
  upload.result = { ...file, serverData }
  put.onResult(upload.result)
  return Response.json(upload.result, { headers: toOffset(grant.size) })
}
