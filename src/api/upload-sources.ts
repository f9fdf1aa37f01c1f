import { createGate } from "../transfer/gate.ts"
import { transfer } from "../transfer/transfer.ts"
import { parseDuration } from "../protocol/duration.ts"
import { createFileKey } from "../protocol/files/key.ts"
import { limits } from "../protocol/limits.ts"
import { lookupMediaType, normalizeMediaType } from "../protocol/files/media-type.ts"
import type { FileLabels } from "../protocol/files/file-labels.ts"
import type { StoredFile } from "../protocol/messages.ts"
import { type FileLabelsInput, labelFields, readLabels, sealLabels } from "../protocol/files/read-labels.ts"
import { isRecord, kindOf } from "../protocol/kind-of.ts"
import { signUploadUrl, type UploadGrant } from "../protocol/signing/signed-url.ts"
import { findUnknownOption } from "../protocol/unknown-option.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import type { ApiSettings } from "./api-settings.ts"
import { checkUploadSource } from "./check-upload-source.ts"
import type { FileUploadResult } from "./file-upload-result.ts"
import type { ServerUploadOptions } from "./server-upload-options.ts"
import { createServerProgress } from "./upload-progress.ts"
import type { UploadSource } from "./upload-source.ts"

const defaultConcurrency = 6

const invalid = (message: string) => new UploadError({ code: "INVALID_CONFIG", message })

const readConcurrency = ({ concurrency = defaultConcurrency }: ServerUploadOptions): number => {
  if (Number.isInteger(concurrency) && concurrency > 0) return concurrency
  throw invalid(`The option concurrency must be a whole number from 1 on, not ${concurrency}.`)
}

/** ms. */
const readTtl = ({ expiresIn }: ServerUploadOptions): number => {
  if (expiresIn === undefined) return limits.presignedUrlTtl
  const ttl = parseDuration(expiresIn)
  if (ttl.ok) return ttl.value
  throw invalid(`The option expiresIn: ${ttl.detail}`)
}

/** Fails: throws BAD_REQUEST, which names the file. */
const toLabels = (input: FileLabelsInput | undefined, name: string): FileLabels | undefined => {
  if (input === undefined) return undefined
  const unknown = isRecord(input) ? findUnknownOption(input, labelFields) : `Expected an object, not ${kindOf(input)}.`
  const labels = unknown === undefined ? readLabels(input) : { ok: false as const, detail: unknown }
  if (labels.ok) return labels.value
  throw new UploadError({ code: "BAD_REQUEST", message: `The labels of ${JSON.stringify(name)}: ${labels.detail}` })
}

/** The fields of a stored file, without those of an upload through a route. */
const toStoredFile = ({ key, name, size, type, customId, url, fileHash, uploadedAt }: StoredFile): StoredFile => ({
  key,
  name,
  size,
  type,
  customId,
  url,
  fileHash,
  uploadedAt,
})

/** The error of a file whose upload was aborted by its signal. */
const toAborted = (cause: unknown) => new UploadError({ code: "ABORTED", message: "The upload was aborted.", cause })

const toError = (cause: unknown, { ingestUrl }: ApiSettings, name: string | undefined): UploadError => {
  // The transfer code's message is for browsers and names the route handler.
  if (UploadError.is(cause) && cause.code === "INVALID_CONFIG" && cause.status !== 413 && name !== undefined) {
    const message = `The server at ${ingestUrl} is not a Sluice ingest. Check the token's ingestUrl.`
    return new UploadError({ code: "INVALID_CONFIG", message, cause })
  }
  if (UploadError.is(cause)) return cause
  const what = name === undefined ? "A file could not be opened" : `The upload of ${JSON.stringify(name)} failed`
  return new UploadError({ code: "INTERNAL_ERROR", message: `${what}, see \`cause\`.`, cause })
}

/** Stops waiting for the work once the signal is aborted, whether or not the work has ended. */
const untilAborted = async <A>(work: () => Promise<A>, signal: AbortSignal): Promise<A> => {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const abort = () => reject(signal.reason)
  signal.addEventListener("abort", abort)
  try {
    return await Promise.race([work(), promise])
  } finally {
    signal.removeEventListener("abort", abort)
  }
}

/**
 * Uploads files by URLs that the app signs for itself: without registration and callback.
 *
 * Each file is opened only when its turn has come, and closed in any case. A URL that expires during the upload is
 * signed anew, and the upload is resumed, as it is after a connection broke.
 *
 * Fails:  rejects with INVALID_CONFIG for invalid options; a failure of one file, including an UploadError from
 *         opening it, is that file's `error`.
 * Source: docs/protocol.md §4, §10.
 *
 * @param sizes in bytes, for the files whose size is known before they are opened
 */
export const uploadSources = async (
  settings: ApiSettings,
  sources: ReadonlyArray<() => Promise<UploadSource>>,
  options: ServerUploadOptions = {},
  sizes: ReadonlyArray<number | undefined> = [],
): Promise<Array<FileUploadResult>> => {
  const { appId, encodedAppId, ingestUrl, signer, sealer, fetch, log } = settings
  const enter = createGate(readConcurrency(options))
  const ttl = readTtl(options)
  const { signal = new AbortController().signal, onUploadProgress } = options
  const { report, leaveOut } = createServerProgress(
    sources.map((_, index) => sizes[index]),
    (progress) => {
      try {
        onUploadProgress?.(progress)
      } catch (error) {
        log("Error", "onUploadProgress threw. The upload continues.", [error])
      }
    },
  )

  const send = async (source: UploadSource, index: number): Promise<StoredFile> => {
    checkUploadSource(source, options)
    const grant: Omit<UploadGrant, "expires"> = {
      // Kept when a URL is signed anew, so that a file deleted meanwhile stays deleted.
      issuedAt: Date.now(),
      key: createFileKey(encodedAppId),
      appId,
      name: source.name,
      size: source.size,
      type: normalizeMediaType(source.type) ?? (await lookupMediaType(source.name)),
      customId: source.customId,
      contentDisposition: source.contentDisposition ?? options.contentDisposition,
      acl: source.acl ?? options.acl,
      cache: source.cache ?? options.cache,
    }
    const labels = toLabels(source.labels ?? options.labels, source.name)
    const sealed = labels === undefined ? undefined : await sealLabels(sealer, grant, labels)
    const sign = () => signUploadUrl(ingestUrl, { ...grant, labels: sealed, expires: Date.now() + ttl }, signer)
    let url = await sign()
    const { key, name, size } = grant
    log("Debug", "Uploading a file.", [{ key, name, size }])
    const result = await transfer({
      file: source,
      url: () => url,
      renew: async () => {
        url = await sign()
      },
      isStored: false,
      trace: undefined,
      fetch,
      retry: options.retry ?? {},
      signal,
      onStart: (offset) => {
        if (offset > 0) log("Debug", "Resuming a file.", [{ key, offset }])
      },
      onProgress: (loaded) => {
        if (!signal.aborted) report(index, source, loaded)
      },
      onWait: ({ delay, error }) => {
        if (error !== undefined) log("Debug", "Trying again.", [{ key, delay, reason: error.message }])
      },
    })
    return toStoredFile(result)
  }

  const upload = async (open: () => Promise<UploadSource>, index: number): Promise<FileUploadResult> => {
    let opened: UploadSource | undefined
    const work = async () => {
      const source = await open()
      opened = source
      try {
        signal.throwIfAborted()
        return await send(source, index)
      } finally {
        await source.close?.().catch((error: unknown) => log("Warning", "A file could not be closed.", [error]))
      }
    }
    try {
      const data = await untilAborted(work, signal)
      report(index, opened!, data.size, true)
      return { data, error: null }
    } catch (cause) {
      if (opened === undefined) leaveOut(index)
      const error = signal.aborted ? toAborted(signal.reason) : toError(cause, settings, opened?.name)
      log("Debug", "A file was not uploaded.", [{ name: opened?.name, code: error.code, reason: error.message }])
      return { data: null, error }
    }
  }

  return Promise.all(sources.map((open, index) => enter(() => upload(open, index))))
}
