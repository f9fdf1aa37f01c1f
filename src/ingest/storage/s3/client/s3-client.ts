import { escapeXml } from "./answer-xml.ts"
import { toStrangeAnswer } from "./judge-failure.ts"
import {
  requireEmpty,
  requireEtag,
  requireUploadId,
  requireOwnKey,
  rootOf,
  type S3Object,
  type S3Part,
  type S3Upload,
} from "./entries.ts"
import { isAscending, isTruncated, readName, readPages, requireBelow } from "./lists.ts"
import { isPlain, isRangeOf, lengthOf, sizeOf } from "./ranges.ts"
import { isMissingUpload, S3Error } from "./s3-error.ts"
import { createS3Requests, type S3Tuning } from "./s3-request.ts"
import type { S3Presign } from "./s3-presign.ts"
import type { S3Settings } from "./s3-settings.ts"

/** What may be said of a body that is put. */
export interface S3Put {
  /** Of the body, where it is known: 64 lower-case hex digits. Otherwise it is worked out. */
  readonly sha256?: string | undefined
  /** Whether it is put only where there is no object of the key: a server that knows of this answers 412 otherwise, others put it. */
  readonly isFirst?: boolean | undefined
  readonly signal?: AbortSignal | undefined
}

/**
 * One bucket of a store that speaks S3.
 *
 * Every call is repeated where that may help, four tries in all, so each has to bear that an earlier try of it succeeded
 * although its answer was lost. An {@link S3Error} says by `isOutcomeUnknown` that this may have happened.
 *
 * Units:  sizes and offsets in bytes, times in ms since the epoch.
 * Fails:  rejects with {@link S3Error}, with the reason of the signal that was given, or because the client was closed.
 */
export interface S3Client {
  /** Puts an object in the place of any other of the key. The body must stay unchanged until then. */
  readonly putObject: (key: string, body: ReadonlyArray<Uint8Array>, put?: S3Put) => Promise<{ readonly etag: string }>
  /**
   * Bytes `start` to `end`, both included, of an object; all of it by default. `size` is that of the whole object. Only the
   * beginning is repeated: where the stream breaks off it errors, and never ends early.
   */
  readonly getObject: (
    key: string,
    range?: {
      readonly start?: number
      readonly end?: number
      readonly signal?: AbortSignal | undefined
      /** What the body fails with where it does not come to its end: by default with the `S3Error`. */
      readonly toBodyError?: ((failure: unknown) => unknown) | undefined
      /** Somebody waits for the first byte: no more than a minute, whatever is tried. */
      readonly isAwaited?: boolean | undefined
    },
  ) => Promise<{ readonly size: number; readonly body: ReadableStream<Uint8Array> }>
  /** Undefined where there is no such object, or no such bucket: the answer to a HEAD does not tell them apart. */
  readonly headObject: (key: string) => Promise<{ readonly size: number; readonly etag: string } | undefined>
  /** Deletes objects, each by a request of its own. Missing ones are no error. All are tried before one that failed rejects. */
  readonly deleteObjects: (keys: ReadonlyArray<string>) => Promise<void>
  /** Objects of a prefix in the order of their names, from behind `after`; `next` is the `after` of the next page. */
  readonly listObjects: (
    prefix: string,
    page?: { readonly after?: string | undefined; readonly limit?: number | undefined },
  ) => Promise<{ readonly objects: ReadonlyArray<S3Object>; readonly next: string | undefined }>
  /** Where an answer is lost, the repetition leaves an empty upload behind that only {@link S3Client.listMultipartUploads} knows of. */
  readonly createMultipartUpload: (key: string, begin?: Pick<S3Put, "signal">) => Promise<string>
  /** Puts a part in the place of any other of its number. Resolves with its ETag. */
  readonly uploadPart: (
    key: string,
    uploadId: string,
    number: number,
    body: ReadonlyArray<Uint8Array>,
    put?: S3Put,
  ) => Promise<string>
  /**
   * Makes an object of parts, in the order of their numbers.
   *
   * Where an answer was lost, the repetition finds the upload gone, or fails too: then the failure has `isOutcomeUnknown`, and
   * only {@link S3Client.headObject} tells whether the object is there. `NoSuchUpload` without it says that somebody else has
   * completed or aborted the upload before; Ceph 16 answers `InternalError` there, which leaves the outcome unknown as well, and
   * takes no completion that leaves out a part.
   */
  readonly completeMultipartUpload: (
    key: string,
    uploadId: string,
    parts: ReadonlyArray<Pick<S3Part, "etag" | "number">>,
    complete?: Pick<S3Put, "signal">,
  ) => Promise<void>
  /** False where there is no such upload; also where a try whose answer was lost has aborted it. */
  readonly abortMultipartUpload: (key: string, uploadId: string) => Promise<boolean>
  /** All parts by number; undefined where there is no such upload, which does not say that it was completed. */
  readonly listParts: (key: string, uploadId: string) => Promise<ReadonlyArray<S3Part> | undefined>
  /** All uploads of keys that begin with the prefix. */
  readonly listMultipartUploads: (prefix: string) => Promise<ReadonlyArray<S3Upload>>
  /** Resolves where the bucket is there and may be used. */
  readonly headBucket: () => Promise<void>
  /** A URL that is good without credentials. Nothing is asked for it. Only `host` and the given headers are signed. */
  readonly presign: (presign: S3Presign) => Promise<string>
  /** When the credentials end that would sign now, ms since the epoch: what they have signed ends with them. Infinity where they do not. */
  readonly credentialsEnd: () => Promise<number>
  /** Gives up at once all requests that are under way, bodies that are read among them, and closes the connections. */
  readonly close: () => void
}

/** How many objects are deleted at the same time. */
const deletionsAtOnce = 8

/** A client of one bucket. Fails: throws a TypeError for settings that cannot be right. */
export const createS3Client = (settings: S3Settings, tuning?: S3Tuning): S3Client => {
  const requests = createS3Requests(settings, tuning)
  const { send } = requests

  const deleteObject = async (key: string): Promise<void> => {
    const operation = "DeleteObject"
    try {
      requireEmpty(operation, await send({ operation, method: "DELETE", key }))
    } catch (cause) {
      // A 204 says the same; some servers know better.
      if (!(cause instanceof S3Error && cause.code === "NoSuchKey")) throw cause
    }
  }

  return {
    putObject: async (key, body, { sha256, signal, isFirst } = {}) => {
      const operation = "PutObject"
      const headers = isFirst === true ? { "if-none-match": "*" } : {}
      const answer = await send({ operation, method: "PUT", key, headers, body, sha256, signal, isLarge: true })
      requireEmpty(operation, answer)
      return { etag: requireEtag(operation, answer) }
    },

    getObject: async (key, { start, end, signal, toBodyError, isAwaited } = {}) => {
      const operation = "GetObject"
      const isRange = start !== undefined || end !== undefined
      const headers = isRange ? { range: `bytes=${start ?? 0}-${end ?? ""}` } : {}
      const { answer, body } = await requests.open({
        operation,
        method: "GET",
        key,
        headers,
        signal,
        toBodyError,
        isLarge: true,
        isAwaited,
      })
      const size = sizeOf(answer)
      const isWhole = (): boolean => answer.status === 200 && isPlain(answer) && answer.header("etag") !== undefined
      if (isRange ? isRangeOf(answer, start ?? 0, end) : isWhole()) return { size, body }
      await body.cancel()
      throw toStrangeAnswer(
        operation,
        answer.status,
        `it is not the ${isRange ? "range" : "object"} that was asked for`,
      )
    },

    headObject: async (key) => {
      const operation = "HeadObject"
      try {
        const answer = await send({ operation, method: "HEAD", key })
        return { size: lengthOf(operation, answer), etag: requireEtag(operation, answer) }
      } catch (cause) {
        if (cause instanceof S3Error && cause.status === 404) return undefined
        throw cause
      }
    },

    deleteObjects: async (keys) => {
      const left = [...new Set(keys)]
      const failures: Array<unknown> = []
      const work = async (): Promise<void> => {
        for (let key = left.pop(); key !== undefined; key = left.pop()) {
          await deleteObject(key).catch((cause: unknown) => failures.push(cause))
        }
      }
      await Promise.all(Array.from({ length: Math.min(deletionsAtOnce, left.length) }, work))
      if (failures.length > 0) throw failures[0] as Error
    },

    listObjects: async (prefix, { after, limit } = {}) => {
      const operation = "ListObjectsV2"
      const query = {
        "list-type": "2",
        prefix,
        // XML cannot hold every character of a key.
        "encoding-type": "url",
        ...(after !== undefined && { "start-after": after }),
        ...(limit !== undefined && { "max-keys": String(limit) }),
      }
      const answer = await send({ operation, method: "GET", query })
      const root = rootOf(operation, answer, "ListBucketResult")
      const isEncoded = root.text("EncodingType") === "url"
      const listed = root.all("Contents").map((each) => {
        const name = readName(each.text("Key"), isEncoded)
        if (name === undefined)
          throw toStrangeAnswer(operation, answer.status, "its list has a name that cannot be read")
        return { key: name, size: Number(each.text("Size")), modifiedAt: Date.parse(each.text("LastModified")) }
      })
      const objects = requireBelow(operation, answer, prefix, listed)
      const isCut = isTruncated(root.text("IsTruncated"))
      const next = isCut ? objects.at(-1)?.key : undefined
      const isOrdered = isAscending(
        objects.map(({ key }) => key),
        after,
      )
      const isSized = objects.every(({ size }) => Number.isSafeInteger(size) && size >= 0)
      // One that goes on, and names nothing after which, would end too early.
      if (!isOrdered || !isSized || (isCut && next === undefined)) {
        throw toStrangeAnswer(operation, answer.status, "its list cannot be")
      }
      return { objects, next }
    },

    createMultipartUpload: async (key, { signal } = {}) => {
      const operation = "CreateMultipartUpload"
      const answer = await send({ operation, method: "POST", key, query: { uploads: "" }, signal })
      return requireUploadId(operation, answer)
    },

    uploadPart: async (key, uploadId, number, body, { sha256, signal } = {}) => {
      const operation = "UploadPart"
      const query = { partNumber: String(number), uploadId }
      const answer = await send({ operation, method: "PUT", key, query, body, sha256, signal, isLarge: true })
      requireEmpty(operation, answer)
      return requireEtag(operation, answer)
    },

    completeMultipartUpload: async (key, uploadId, parts, { signal } = {}) => {
      const operation = "CompleteMultipartUpload"
      const list = parts
        .map(({ number, etag }) => `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(etag)}</ETag></Part>`)
        .join("")
      const xmlns = "http://s3.amazonaws.com/doc/2006-03-01/"
      const text = `<CompleteMultipartUpload xmlns="${xmlns}">${list}</CompleteMultipartUpload>`
      const answer = await send({
        operation,
        method: "POST",
        key,
        query: { uploadId },
        headers: { "content-type": "application/xml" },
        body: [new TextEncoder().encode(text)],
        signal,
        isSentOnce: true,
        // A store may copy all parts before it answers.
        isLarge: true,
      })
      requireOwnKey(operation, answer, rootOf(operation, answer, "CompleteMultipartUploadResult"), key)
    },

    abortMultipartUpload: async (key, uploadId) => {
      const operation = "AbortMultipartUpload"
      try {
        requireEmpty(operation, await send({ operation, method: "DELETE", key, query: { uploadId } }))
        return true
      } catch (cause) {
        if (isMissingUpload(cause)) return false
        throw cause
      }
    },

    listParts: async (key, uploadId) => {
      const parts: Array<S3Part> = []
      try {
        await readPages(requests, { operation: "ListParts", method: "GET", key, query: { uploadId } }, (answer) => {
          const root = rootOf("ListParts", answer, "ListPartsResult")
          for (const part of root.all("Part")) {
            const number = Number(part.text("PartNumber"))
            parts.push({ number, size: Number(part.text("Size")), etag: part.text("ETag") })
          }
          if (!isTruncated(root.text("IsTruncated"))) return undefined
          return { "part-number-marker": root.text("NextPartNumberMarker") }
        })
        return parts
      } catch (cause) {
        if (isMissingUpload(cause)) return undefined
        throw cause
      }
    },

    listMultipartUploads: async (prefix) => {
      const uploads: Array<S3Upload> = []
      // Ceph encodes names when it is asked to, and does not say so here.
      const query = { uploads: "", prefix }
      await readPages(requests, { operation: "ListMultipartUploads", method: "GET", query }, (answer) => {
        const root = rootOf("ListMultipartUploads", answer, "ListMultipartUploadsResult")
        const listed = root.all("Upload").map((upload) => ({
          key: upload.text("Key"),
          uploadId: upload.text("UploadId"),
          initiatedAt: Date.parse(upload.text("Initiated")),
        }))
        uploads.push(...requireBelow("ListMultipartUploads", answer, prefix, listed))
        if (!isTruncated(root.text("IsTruncated"))) return undefined
        return { "key-marker": root.text("NextKeyMarker"), "upload-id-marker": root.text("NextUploadIdMarker") }
      })
      return uploads
    },

    headBucket: async () => {
      await send({ operation: "HeadBucket", method: "HEAD" })
    },

    presign: ({ method, key, query, headers, expiresIn, at }) =>
      requests.presign({ method, key, query, headers }, expiresIn, at),

    credentialsEnd: requests.credentialsEnd,

    close: requests.close,
  }
}
