import * as Effect from "effect/Effect"
import { readStart, readWhole } from "../../http/read-answer.ts"
import type { HttpAnswer, Send } from "../../http/transport.ts"
import { envName, names } from "../../protocol/names.ts"
import { createSigner } from "../../protocol/signing/signature.ts"
import { standardWebhookHeaders } from "../../protocol/signing/standard-webhooks.ts"
import { type PostAnswer, PostFailed, postJson } from "../../server-kit/post-json.ts"
import type { HeldUrls } from "./held-urls.ts"
import { longestVerdict, readVerdict } from "./read-verdict.ts"
import { type HeldFile, type ScanAnswer, type Scanner, ScannerError, type ScannerReason } from "./scanner.ts"

/** The file, as the scanner is told of it. */
type AnnouncedFile = Omit<HeldFile, "read">

/** Status of an answer that is about this file alone: the scanner does not take it. */
const refusals: ReadonlySet<number> = new Set([400, 413, 415, 422])

/** Status of an answer that is about the scanner: it takes no file at the moment. */
const absences: ReadonlySet<number> = new Set([429, 503])

/** Status of an answer to whom it does not trust. */
const distrust: ReadonlySet<number> = new Set([401, 403])

const otherSecret =
  `It stays held, and is tried again later. So answers a scanner that verifies with another secret: give it the one of the ingest ` +
  `(the variable ${envName("scanSecret")}, or scan.secret of createIngest), and let it verify the raw body.`

/** How long words of an answer that is no verdict may take, ms. */
const patience = 1000

/** Longest time that a timer can wait, ms. */
const longestTimer = 2 ** 31 - 1

/** Whether a request failed before there was a connection. `fetch` hides that in the cause, and a host with several addresses has one for each. */
const isNeverConnected = (thrown: unknown): boolean => {
  const error = thrown as { cause?: unknown; errors?: ReadonlyArray<unknown>; syscall?: string; code?: unknown } | null
  if (error === null || typeof error !== "object") return false
  if (
    /^(connect|getaddrinfo)$/.test(error.syscall ?? "") ||
    /CERT|EPROTO|LEAF_SIGNATURE|SSL|TLS/.test(String(error.code))
  )
    return true
  return isNeverConnected(error.cause) || isNeverConnected(error.errors?.[0])
}

const toReason = ({ reason, status, cause }: PostFailed): ScannerReason => {
  if (reason === "network" && isNeverConnected(cause)) return "away"
  if (status !== undefined && absences.has(status)) return "away"
  return reason === "status" && refusals.has(status!) ? "refused" : "silent"
}

/** Reads all of an answer that may be a verdict, and the words of any other. */
const readAnswer = async (answer: HttpAnswer): Promise<string> => {
  if (answer.status !== 200) return readStart(answer, patience)
  try {
    return await readWhole(answer, longestVerdict)
  } catch (cause) {
    if (!(cause instanceof RangeError)) throw cause
    throw new PostFailed({ reason: "answer", status: answer.status, cause })
  }
}

const encoder = new TextEncoder()

/** The verdict in an answer. Fails: where it is none. */
const judgeAnswer = Effect.fnUntraced(function* ({ status, body }: PostAnswer, until: number) {
  if (status === 202) return { kind: "later", until } satisfies ScanAnswer
  const verdict = status === 200 ? readVerdict(encoder.encode(body)) : Effect.fail("it must be 200 or 202.")
  return yield* Effect.mapError(
    verdict,
    (detail) => new PostFailed({ reason: "answer", status, cause: new Error(detail) }),
  )
})

/**
 * Asks a scanner by HTTP, with one request for each file. The scanner reads the file by a URL of the request.
 *
 * Source: docs/protocol.md §10.
 *
 * @param url     where it is asked
 * @param secret  what its requests are signed with, as the operator wrote it
 * @param key     the bytes of the secret
 * @param base    where it reaches the ingest
 * @param timeout how long it may take for one file, ms
 */
export const createUrlScanner = ({
  url,
  secret,
  key,
  base,
  timeout,
  urls,
  send,
  now,
}: {
  readonly url: string
  readonly secret: string
  readonly key: Uint8Array<ArrayBuffer>
  readonly base: string
  readonly timeout: number
  readonly urls: HeldUrls
  readonly send: Send
  readonly now: () => number
}): Scanner<AnnouncedFile> => {
  const { origin, pathname } = new URL(url)
  const signer = createSigner(secret)
  const webhookSigner = createSigner(key)
  const room = Math.min(timeout, longestTimer)

  const render = async (held: AnnouncedFile, sentAt: number, expires: number) => {
    const { appId, name, size, type, fileHash, uploadedAt } = held
    const id = await urls.nameOf(held)
    const file = { key: held.key, name, size, type, fileHash: fileHash ?? "", uploadedAt: uploadedAt ?? 0 }
    const readUrl = await urls.sign("read", base, held, expires)
    const verdictUrl = await urls.sign("judge", base, held, expires)
    const body = JSON.stringify({ id, sentAt, expires, appId, file, readUrl, verdictUrl })
    const headers = {
      [names.header.hook]: "scan",
      [names.header.signature]: await signer.sign(body),
      ...(await standardWebhookHeaders({ id, sentAt }, body, [webhookSigner])),
    }
    return { body, headers }
  }

  const toError = (failure: PostFailed): ScannerError => {
    const message =
      failure.reason === "timeout" ? `It did not answer within ${Math.round(room / 100) / 10} s.` : failure.message
    const help = failure.reason === "status" && distrust.has(failure.status!) ? otherSecret : undefined
    return new ScannerError(toReason(failure), message, failure, help)
  }

  const ask = Effect.fnUntraced(
    function* (held: AnnouncedFile) {
      const sentAt = now()
      const expires = sentAt + room
      const { body, headers } = yield* Effect.promise(() => render(held, sentAt, expires))
      const answer = yield* postJson({ url, headers, body, timeout: room, send, read: readAnswer })
      return yield* judgeAnswer(answer, expires)
    },
    (asked) => Effect.mapError(asked, toError),
  )

  return {
    // A query may hold anything.
    address: origin + pathname,
    help: "It stays held, and is tried again later. Mend the scanner, or decide by releaseFiles or rejectFiles.",
    scan: (held, signal) => Effect.runPromise(ask(held), { signal }),
  }
}
