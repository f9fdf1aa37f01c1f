import { http } from "msw"
import { setupServer } from "msw/node"
import { afterAll, afterEach, beforeAll } from "vitest"
import { operations } from "../../src/ingest/rest/operations.ts"
import { ingestUrl } from "../route/app-token.ts"

/** A call as it arrived at the ingest. */
export interface Call {
  readonly url: string
  readonly operation: string
  readonly headers: Headers
  readonly body: unknown
}

type Answer = (call: Call) => Response | Promise<Response>

/**
 * The ingest's REST API in the place of the network, written from docs/protocol.md §10. Without an answer of the test
 * a call succeeds with the operation's example, and what it counts is the number of files it names. Other requests fail the
 * test.
 */
export const useMockRest = (bases: ReadonlyArray<string> = [ingestUrl]) => {
  const calls: Array<Call> = []
  const answers: Array<Answer> = []

  const answerFor: Answer = ({ operation, body }) => {
    const { fileKeys, customIds, updates } = body as Record<string, ReadonlyArray<unknown> | undefined>
    const count = (fileKeys ?? customIds ?? updates ?? []).length
    if (operation === "deleteFiles") return Response.json({ success: true, deletedCount: count })
    if (operation === "renameFiles") return Response.json({ success: true, renamedCount: count })
    if (operation === "updateACL") return Response.json({ success: true, updatedCount: count })
    if (operation === "listFiles") return Response.json({ hasMore: false, nextCursor: null, files: [] })
    if (operation === "getUsageInfo") return Response.json({ totalBytes: 5, filesUploaded: 1, limitBytes: null })
    if (operation === "requestFileAccess")
      return Response.json({ url: `${ingestUrl}/f/key?expires=1&signature=hmac-sha256%3D00` })
    return Response.json(operations.get(operation)?.example.answer)
  }

  const server = setupServer(
    ...bases.map((base) =>
      http.post(`${base}/v6/:operation`, async ({ request, params }) => {
        const { url, headers } = request
        const call = { url, headers, operation: String(params["operation"]), body: await request.json() }
        calls.push(call)
        return (answers.shift() ?? answerFor)(call)
      }),
    ),
  )
  beforeAll(() => server.listen({ onUnhandledFrame: "error" }))
  afterEach(() => {
    server.resetHandlers()
    for (const list of [calls, answers]) list.length = 0
  })
  afterAll(() => server.close())

  return {
    server,
    calls,
    /** Queues the answers to the next calls. */
    answer: (...some: ReadonlyArray<Answer>) => void answers.push(...some),
  }
}

/** A problem document. */
export const problem = (status: number, code: string, detail = "Because.", headers: Record<string, string> = {}) =>
  Response.json(
    { type: "urn:sluice:error", title: code, status, detail, code },
    {
      status,
      headers: { "content-type": "application/problem+json", ...headers },
    },
  )

/** No answer at all: the connection breaks. */
export const networkError = (): Response => Response.error()
