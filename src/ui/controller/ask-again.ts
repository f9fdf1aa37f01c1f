import type { RouteDescription } from "../../protocol/messages.ts"
import { type Fetch, fetchReply, readReply } from "../../transfer/reply.ts"
import { retry, type RetryOptions } from "../../transfer/retry.ts"
import type { HandlerAddress } from "../diagnosis/explain-in-development.ts"
import { tellDeveloper } from "../diagnosis/tell-operator.ts"

/**
 * Evaluates a first answer that failed, and repeats the request while that can help.
 *
 * @param first the answer, or why there is none
 * @param readDescriptions throws at a body of another form
 *
 * Fails: rejects with an UploadError.
 */
export const askAgain = (
  key: string,
  url: HandlerAddress,
  first: Promise<Response>,
  fetch: Fetch,
  options: RetryOptions,
  readDescriptions: (json: unknown) => ReadonlyArray<RouteDescription>,
): Promise<ReadonlyArray<RouteDescription>> => {
  let given: Promise<Response> | undefined = first
  const ask: Fetch = (...request) => {
    const answer = given ?? fetch(...request)
    given = undefined
    return answer
  }
  return retry(
    async (_, signal) =>
      readReply(
        await fetchReply(ask, key, { headers: { accept: "application/json" }, signal }),
        readDescriptions,
        "app",
      ),
    options,
    new AbortController().signal,
    ({ error }) => tellDeveloper(error, url),
  )
}
