import { http, HttpResponse, type JsonBodyType } from "msw"
import { setupServer } from "msw/node"
import { afterAll, afterEach, beforeAll } from "vitest"
import { ingestUrl } from "./app-token.ts"

/** A request as it arrived at the ingest. */
export interface Received {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly text: string
}

/** Answers a request; `undefined` leaves it to the next in line, at last to `{ "ok": true }`. */
export type Answer = (received: Received) => Response | Promise<Response> | undefined

export const json = (body: JsonBodyType, status = 200): Response => HttpResponse.json(body, { status })

/** No answer at all: the connection breaks. */
export const networkError = (): Response => HttpResponse.error()

/**
 * The ingest of these tests: MSW in the place of the network. A request to anything else than its three addresses, and
 * those a test adds, fails the test. The wire names are spelt out on purpose: written from docs/protocol.md §6 and §9.
 */
export const useMockIngest = (base = ingestUrl) => {
  const registrations: Array<Received> = []
  const results: Array<Received> = []
  const queries: Array<Received> = []
  const registrationAnswers: Array<Answer> = []
  const queryAnswers: Array<Answer> = []
  const resultAnswers: Array<Answer> = []

  const take = (log: Array<Received>, nextAnswer: () => Answer | undefined) =>
    async function ({ request }: { request: Request }): Promise<Response> {
      const received = {
        url: request.url,
        method: request.method,
        headers: request.headers,
        text: await request.text(),
      }
      log.push(received)
      return (await nextAnswer()?.(received)) ?? json({ ok: true })
    }

  /** Every upload is known, by the metadata that all have in these tests unless answered otherwise. */
  const find = (query: string) => {
    const { files } = JSON.parse(query) as { files: ReadonlyArray<unknown> }
    return { registrations: [{ metadata: { userId: 7 } }], files: files.map(() => 0) }
  }

  const server = setupServer(
    http.post(
      `${base}/route-metadata`,
      take(registrations, () => registrationAnswers.shift()),
    ),
    http.post(
      `${base}/route-registrations`,
      take(queries, () => queryAnswers.shift() ?? ((received) => json(find(received.text)))),
    ),
    http.post(
      `${base}/callback-result`,
      take(results, () => resultAnswers.shift()),
    ),
  )
  beforeAll(() => server.listen({ onUnhandledFrame: "error" }))
  afterEach(() => {
    server.resetHandlers()
    for (const list of [registrations, results, queries, registrationAnswers, resultAnswers, queryAnswers])
      list.length = 0
  })
  afterAll(() => server.close())

  return {
    server,
    registrations,
    results,
    /** What was asked about registrations. */
    queries,
    /** Queues the answers to the next questions about registrations. */
    answerQuery: (...answers: ReadonlyArray<Answer>) => void queryAnswers.push(...answers),
    /** Queues the answers to the next registrations. */
    answerRegistration: (...answers: ReadonlyArray<Answer>) => void registrationAnswers.push(...answers),
    /** Queues the answers to the next callback results. */
    answerResult: (...answers: ReadonlyArray<Answer>) => void resultAnswers.push(...answers),
    /** Records what arrives at another address. */
    watch: (url: string, answer: Answer = () => json({ ok: true })): ReadonlyArray<Received> => {
      const log: Array<Received> = []
      server.use(http.all(url, async (info) => take(log, () => answer)(info)))
      return log
    },
  }
}

export type MockIngest = ReturnType<typeof useMockIngest>
