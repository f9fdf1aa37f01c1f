import type { TraceContext } from "../protocol/trace-context.ts"
import type { Fetch, fetchReply, Reply } from "./reply.ts"

/** Refusals by HEAD that are final, and that the ingest explains to whoever sends a body. */
const mute = /410|413|415|422|507/

/** What a proxy may say that takes no HEAD, though it takes the upload; the three others ask to wait or to go on. */
const doubtful = /4(?!09|2[39])..|501/

/** Whose upload is asked about. */
export interface Asking {
  /** The current signed URL. */
  readonly url: () => string
  /** Whether bytes may have been stored by an earlier transfer. */
  readonly isStored: boolean
  readonly fetch: Fetch
  readonly trace: TraceContext | undefined
  readonly signal: AbortSignal
}

/**
 * Asks by an empty body why HEAD was refused, which has none that would say it. As long as nothing was sent, a proxy that takes no
 * HEAD or removes the offset stops nothing: the upload begins at 0.
 *
 * It is loaded later than the rest, and imports nothing of it: a bundler would make a third part of what both need.
 *
 * @param isFirst whether no attempt was made before
 * @returns the answer with the reason; the offset, as HEAD has it, where there is none; the refusal itself where it says enough
 */
export const askWhy = async (
  refused: Reply,
  { url, isStored, fetch, trace, signal }: Asking,
  isFirst: boolean,
  byFetch: typeof fetchReply,
  readOffset: (reply: Reply) => number,
): Promise<Reply> => {
  const status = `${refused.status}`
  const isNew = isFirst && !isStored
  const toOffset = (reply: Reply): Reply => ({
    ...reply,
    status: 200,
    ...(isNew && readOffset(reply) < 0 && { header: () => "0" }),
  })
  if (refused.status === 200) return toOffset(refused)
  if (!mute.test(status) && !(isNew && doubtful.test(status))) return refused
  const headers = { ...trace, "content-type": "application/octet-stream", range: "bytes=0-" }
  const answer = await byFetch(fetch, url(), { method: "PUT", headers, body: new Blob(), signal })
  return answer.status === 409 && answer.body.includes("RANGE_MISMATCH") ? toOffset(answer) : answer
}
