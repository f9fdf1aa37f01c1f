import * as Effect from "effect/Effect"
import { fetchReply, readReply, type Reply } from "../transfer/reply.ts"
import type { Attempt } from "../transfer/attempt.ts"
import { retry } from "../transfer/retry.ts"
import { envName, names } from "../protocol/names.ts"
import { problemMediaType } from "../protocol/errors/problem.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import type { ApiSettings } from "./api-settings.ts"
import { toBody } from "./to-body.ts"

/** Options of every call. */
export interface CallOptions {
  /** Aborts the call, with code ABORTED. */
  readonly signal?: AbortSignal | undefined
}

/** One operation of the REST API. */
export interface Operation<A> {
  readonly name: string
  /** The method of the API that makes the call, where it has another name. */
  readonly method?: string
  /** Decodes the answer. Fails with sentences. */
  readonly decode: (json: unknown) => Effect.Effect<A, string>
}

/** Timeout of one attempt, ms. */
const attemptTimeout = 30_000

/** Each attempt has a timeout of its own. */
const retries = { attempts: 4, delay: 250, timeout: Infinity }

const notSluice = (ingestUrl: string, status: number, detail: string) =>
  new UploadError({
    code: "INVALID_CONFIG",
    message: `The server at ${ingestUrl} is not a Sluice ingest (status ${status}${detail}). Check the token's ingestUrl.`,
  })

/** The public name of an API key, as the ingest's operator sees it: it reveals nothing of the key. */
const toKeyId = async (apiKey: string): Promise<string> => {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(apiKey)))
  return `key_${[...digest.subarray(0, 6)].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`
}

const unauthorised = async ({ ingestUrl, apiKey, appId }: ApiSettings) =>
  new UploadError({
    code: "UNAUTHORIZED",
    message: `The ingest at ${ingestUrl} does not accept the token of app ${JSON.stringify(appId)} (its key is ${await toKeyId(apiKey)}). Check ${envName("token")}: is it of this ingest, and is its key still active?`,
  })

/** Whether an answer can only come from another server, or from another page. */
const isStrange = ({ status, header }: Reply): boolean =>
  (status >= 300 && status < 400) ||
  ((status === 404 || status === 405) && !header("content-type")?.startsWith(problemMediaType))

/**
 * Calls an operation of the ingest's REST API. All operations may be repeated, and are: after network errors, 429 and
 * 5xx.
 *
 * Shape:  `POST {ingestUrl}/v6/<operation>`, JSON in and out.
 * Fails:  rejects with an UploadError: as {@link toBody} does, before anything is sent; the problem document's code and detail, NETWORK_ERROR, ABORTED, or
 *         INVALID_CONFIG where the server is not an ingest.
 * Source: docs/protocol.md §10 "REST API".
 */
export const callIngest = async <A>(
  settings: ApiSettings,
  { name, method = name, decode }: Operation<A>,
  request: object,
  { signal = new AbortController().signal }: CallOptions = {},
): Promise<A> => {
  const { ingestUrl, apiKey, fetch, log } = settings
  const url = `${ingestUrl}/${names.path.api}/${name}`
  const headers = { "content-type": "application/json", [names.header.apiKey]: apiKey }
  const body = toBody(method, request)

  const attempt = async (): Promise<Attempt<A>> => {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(attemptTimeout)])
    // Redirects are not followed: the headers hold the API key.
    const reply = await fetchReply(fetch, url, { method: "POST", headers, body, redirect: "manual", signal: limited })
    log("Debug", "Called the ingest.", [{ operation: name, status: reply.status }])
    if (isStrange(reply)) return { error: notSluice(ingestUrl, reply.status, "") }
    const json = readReply(reply, (value) => ({ value }))
    if ("error" in json)
      return json.error.code === "INVALID_CONFIG" && reply.status !== 413
        ? { error: notSluice(ingestUrl, reply.status, "") }
        : json.error.code === "UNAUTHORIZED"
          ? { error: await unauthorised(settings) }
          : json
    return Effect.runPromise(
      Effect.match(decode(json.value.value), {
        onSuccess: (value) => ({ value }),
        onFailure: (detail) => ({ error: notSluice(ingestUrl, reply.status, `, ${detail}`) }),
      }),
    )
  }

  try {
    signal.throwIfAborted()
    return await retry(attempt, retries, signal, ({ delay, error }) =>
      log("Warning", "Calling the ingest again.", [{ operation: name, delay, reason: error.message }]),
    )
  } catch (error) {
    if (signal.aborted)
      throw new UploadError({ code: "ABORTED", message: `${name} was aborted.`, cause: signal.reason })
    if (!UploadError.is(error) || error.code !== "NETWORK_ERROR") throw error
    const message = `The ingest at ${ingestUrl} cannot be reached, or the connection broke.`
    throw new UploadError({ code: "NETWORK_ERROR", message, cause: error.cause })
  }
}
