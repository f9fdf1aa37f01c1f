import type { Answered } from "./answer-xml.ts"
import { toStrangeAnswer } from "./judge-failure.ts"
import type { S3Answer } from "./s3-request.ts"

/** An object, as lists name it. */
export interface S3Object {
  readonly key: string
  readonly size: number
  /** When it was put, ms since the epoch by the clock of the bucket; NaN where the list does not say. */
  readonly modifiedAt: number
}

/** A part of a multipart upload. */
export interface S3Part {
  /** From 1 on. */
  readonly number: number
  readonly size: number
  /** In the quotes that S3 gives it. */
  readonly etag: string
}

/** A multipart upload that was neither completed nor aborted. */
export interface S3Upload {
  readonly key: string
  readonly uploadId: string
  /** Ms since the epoch. */
  readonly initiatedAt: number
}

/** What is kept of an upload until it is complete, characters: an id of AWS has some 130, an ETag 34. */
const longestUploadId = 2048
const longestEtag = 256

/** The root of an answer of this name. Fails: throws for any other document: a page would be a list of nothing. */
export const rootOf = (operation: string, answer: S3Answer, name: string): Answered => {
  const root = answer.root()
  if (root.name === name) return root
  throw toStrangeAnswer(operation, answer.status, `it is no ${name}`)
}

/** Fails: throws where an answer has a body that S3 answers without one: it is of somebody in between. */
export const requireEmpty = (operation: string, answer: S3Answer): void => {
  if (!answer.isEmpty) throw toStrangeAnswer(operation, answer.status, "it has a body")
}

/** The id of an upload that was begun. Fails: throws where there is none that can be kept. */
export const requireUploadId = (operation: string, answer: S3Answer): string => {
  const uploadId = rootOf(operation, answer, "InitiateMultipartUploadResult").text("UploadId")
  if (uploadId !== "" && uploadId.length <= longestUploadId) return uploadId
  throw toStrangeAnswer(operation, answer.status, "it names no upload")
}

/** Fails: throws where an answer about an object names another one. Some stores escape the name as in a URL, and some leave it out. */
export const requireOwnKey = (operation: string, answer: S3Answer, root: Answered, key: string): void => {
  const named = root.text("Key")
  if (named !== "" && named !== key && named !== encodeURIComponent(key) && named !== encodeURI(key)) {
    throw toStrangeAnswer(operation, answer.status, "it is about another object")
  }
}

/** The ETag of an object or a part. Fails: throws where there is none that can be kept. */
export const requireEtag = (operation: string, answer: S3Answer): string => {
  const etag = answer.header("etag") ?? ""
  if (etag.length <= longestEtag && /[^"\s]/.test(etag)) return etag
  throw toStrangeAnswer(operation, answer.status, "it has no ETag")
}
