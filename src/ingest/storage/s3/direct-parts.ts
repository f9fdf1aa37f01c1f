/*
 * Parts that clients send past this package, by URLs that are signed here. They are of the same grid and of the same
 * multipart upload as parts of the ingest's own, so a blob may have both. What the bucket lists counts: nobody else knows
 * which parts have come. It counts only until the parts are one object: then the upload is gone, and a URL that is still
 * good finds nothing.
 */
import type { BlobState, BlobStore, DirectPart, DirectUpload, GrantedParts } from "../blob-store.ts"
import { beginUpload } from "./begin-upload.ts"
import type { createBlobsInProgress, Held } from "./blobs-in-progress.ts"
import type { S3Client } from "./client/s3-client.ts"
import { isSameEtag } from "./etag.ts"
import type { MultipartUpload } from "./journal/blob-journal.ts"
import { toPartSize } from "./part-size.ts"

/** How long a URL of a part is good at most, ms. */
const lifetime = 15 * 60_000

/** How many parts a blob has. */
const countParts = (size: number): number => Math.ceil(size / toPartSize(size))

/** Bytes of a part. */
const sizeOfPart = (size: number, number: number): number => {
  const partSize = toPartSize(size)
  return Math.min(partSize, size - (number - 1) * partSize)
}

/** Numbers as runs without gaps: 1, 2, 5 as [1, 2] and [5, 5]. */
const toRuns = (numbers: Iterable<number>): ReadonlyArray<readonly [first: number, last: number]> => {
  const runs: Array<[number, number]> = []
  for (const number of [...numbers].toSorted((a, b) => a - b)) {
    const last = runs.at(-1)
    if (last?.[1] === number - 1) last[1] = number
    else runs.push([number, number])
  }
  return runs
}

/** All parts of a blob, as runs. */
const allParts = (size: number) => toRuns(Array.from({ length: countParts(size) }, (_, index) => index + 1))

/**
 * Notes in the journal which parts the bucket has of a blob: those without a gap before them count. Where the upload is gone,
 * the blob begins anew. All that it has, gaps or not, the blob remembers: `direct`, undefined where the upload is gone.
 */
export const adoptParts = async (
  client: S3Client,
  held: Held,
  { id, directSize: size = 0 }: MultipartUpload,
  name: string,
): Promise<void> => {
  held.blob.direct = undefined
  const listed = await client.listParts(name, id)
  held.check()
  if (listed === undefined) {
    held.blob.hashed = undefined
    await held.note({ upload: null, keep: 0, offset: 0, tail: null, isFinishing: false })
    return
  }
  const last = countParts(size)
  const found = new Map<number, string>()
  for (const { number, size: stored, etag } of listed) {
    const isOfGrid = Number.isInteger(number) && number >= 1 && number <= last
    if (etag !== undefined && isOfGrid && stored === sizeOfPart(size, number)) found.set(number, etag)
  }
  held.blob.direct = found
  const { etags } = await held.know()
  const usable: Array<string> = []
  for (let etag = found.get(1); etag !== undefined; etag = found.get(usable.length + 1)) usable.push(etag)
  const differs = etags.findIndex((etag, index) => !isSameEtag(etag, usable[index]))
  const keep = differs < 0 ? etags.length : differs
  if (keep === etags.length && usable.length === keep) return
  held.blob.hashed = undefined
  // Bytes behind the parts stay where they are, unless other parts are before them now.
  const behind =
    usable.length === etags.length ? {} : { tail: null, offset: Math.min(usable.length * toPartSize(size), size) }
  await held.note({ keep, add: usable.slice(keep), ...behind, isFinishing: false })
}

/** The URLs of some parts. Those that the blob does not have are left out. */
const signParts = async (
  client: S3Client,
  name: string,
  { id, directSize: size = 0 }: MultipartUpload,
  parts: ReadonlyArray<DirectPart>,
  { until, now }: { readonly until: number; readonly now: number },
): Promise<ReadonlyArray<DirectUpload>> => {
  const at = Date.now()
  const expiresIn = Math.floor(Math.min(lifetime, until - now, (await client.credentialsEnd()) - at) / 1000)
  if (expiresIn < 1) return []
  const isOne = ({ number }: DirectPart): boolean => number >= 1 && number <= countParts(size)
  return Promise.all(
    parts.filter(isOne).map(async ({ number, sha256 }) => ({
      number,
      ...(await signPart(client, name, id, number, { length: sizeOfPart(size, number), sha256 }, expiresIn, at)),
      expires: now + expiresIn * 1000,
    })),
  )
}

const signPart = async (
  client: S3Client,
  key: string,
  uploadId: string,
  number: number,
  { length, sha256 }: { readonly length: number; readonly sha256: string },
  expiresIn: number,
  at?: number,
): Promise<Pick<DirectUpload, "headers" | "url">> => {
  const headers = { "x-amz-content-sha256": sha256 }
  const url = await client.presign({
    method: "PUT",
    key,
    query: { partNumber: String(number), uploadId },
    // Whoever sends the body sends its length, and in a page nobody can set it.
    headers: { ...headers, "content-length": String(length) },
    expiresIn,
    at,
  })
  return { url, headers }
}

/** How long the bucket may take to answer a part of a few bytes, ms: somebody waits for it. */
const trialPatience = 3000

/** Why a bucket is not fit for parts that others send; undefined where it is. Nothing of what is tried stays. */
const findUnfit = async (client: S3Client, prefix: string): Promise<string | undefined> => {
  const [right, wrong] = [Buffer.from("right"), Buffer.from("wrong")]
  const sha256 = process.getBuiltinModule("node:crypto").createHash("sha256").update(right).digest("hex")
  const name = `${prefix}sluice-check-${crypto.randomUUID()}/direct`
  const id = await client.createMultipartUpload(name)
  try {
    const { url, headers } = await signPart(client, name, id, 1, { length: right.length, sha256 }, 60)
    const send = async (body: Uint8Array<ArrayBuffer>): Promise<number> => {
      const signal = AbortSignal.timeout(trialPatience)
      const answer = await fetch(url, { method: "PUT", headers, body, redirect: "manual", signal })
      await answer.body?.cancel()
      return answer.status
    }
    const taken = await send(right)
    if (taken !== 200) return `the bucket answers ${taken} to a part that is sent by a signed URL`
    const refused = await send(wrong)
    return refused === 400 || refused === 403
      ? undefined
      : `the bucket answers ${refused} to a part with other bytes than those of the signed SHA-256`
  } finally {
    await client.abortMultipartUpload(name, id).catch(() => {})
  }
}

type PartsRequest = Parameters<NonNullable<BlobStore["grantParts"]>>[1]

/** What grants of parts are made with. */
interface GrantsSetup extends Pick<BlobStore, "claim"> {
  readonly client: S3Client
  /** What the names of all objects begin with. */
  readonly prefix: string
  readonly nameContent: (key: string, ref: string) => string
  readonly use: ReturnType<typeof createBlobsInProgress>["use"]
}

/** How long it counts that a bucket was found unfit, ms: it may have been busy, or its clock may have been wrong. */
const unfitFor = 5 * 60_000

/** Lets clients send parts; see `grantParts` of the port. Whether the bucket is fit for that is tried once, until it is. */
export const createPartGrants = ({
  client,
  prefix,
  nameContent,
  use,
  claim,
}: GrantsSetup): NonNullable<BlobStore["grantParts"]> => {
  let fitness: Promise<string | undefined> | undefined
  let triedAt = -Infinity
  const findWhyNot = async (): Promise<string | undefined> => {
    if (fitness !== undefined && (await fitness) !== undefined && performance.now() - triedAt >= unfitFor)
      fitness = undefined
    if (fitness === undefined) {
      triedAt = performance.now()
      fitness = findUnfit(client, prefix).catch(
        (cause: unknown) => `whether the bucket takes parts by signed URLs could not be tried: ${String(cause)}`,
      )
    }
    return fitness
  }

  const grant = async (held: Held, { epoch, size, parts, ...times }: PartsRequest): Promise<GrantedParts> => {
    const { key } = held
    const partSize = toPartSize(size)
    const nameOf = (ref: string): string => nameContent(key, ref)
    const before = (await held.know()).upload
    const upload =
      before === null
        ? await beginUpload(
            { ...held, client, nameContent: nameOf, ref: String(epoch), gone: held.blob.gone.signal },
            size,
          )
        : { ...before, directSize: size }
    const name = nameOf(upload.ref)
    if (before !== null && before.directSize === undefined) {
      await held.note({ upload })
      await adoptParts(client, held, upload, name)
      if (held.blob.direct === undefined) await held.beginAnew(undefined)
    }
    const uploads = await signParts(client, name, upload, parts, times)
    // `claim` has asked for the parts of an upload that was direct before; a new one has none.
    const stored = toRuns(before === null ? [] : (held.blob.direct?.keys() ?? []))
    return { kind: "granted", partSize, stored, uploads }
  }

  return async (key, request) => {
    const why = await findWhyNot()
    if (why !== undefined) return { kind: "refused", why }
    const { epoch, size } = request
    const state: BlobState = await claim(key, epoch)
    if (state.size === size) return { kind: "granted", partSize: toPartSize(size), stored: allParts(size), uploads: [] }
    return use(key, epoch, (held) => grant(held, request))
  }
}
