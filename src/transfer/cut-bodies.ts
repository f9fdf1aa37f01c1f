import { askWhy, type Asking } from "./ask-why.ts"
import type { fetchReply, Reply } from "./reply.ts"
import type { UploadableFile, UploadBody } from "./uploadable-file.ts"

/**
 * The smallest piece that a file is cut into, in bytes: half of the smallest limit that proxies are known to come with
 * (128 KiB, ModSecurity's). Smaller ones would be requests without end.
 */
const smallestPiece = 2 ** 16

/**
 * The largest piece that is tried once a body was refused, in bytes: Cloudflare's limit is 100 MB. From a file of many
 * gigabytes to a limit of 1 MiB it would otherwise be some ten more bodies that are sent for nothing.
 */
const largestPiece = 2 ** 26

/** From this size on, in bytes, a limit that was only worked out is remembered for the next files: it costs them little. */
const worthKeeping = 2 ** 19

/** What the ingest's own refusals of a size look like: they are final. */
const ofSluice = /"urn:\w+:error:|"code": *"(FILE_TOO_LARGE|SIZE_MISMATCH)"/

/** The largest body by host, in bytes, as far as it is known: what the ingest's operator said, and what got through. */
const advertised = new Map<string, number>()
const found = new Map<string, number>()

const hostOf = (url: string): string => url.split("/")[2]!

/** One transfer of a file: two may send the same one at once. */
interface Transfer {
  readonly file: UploadableFile
}

/** What is known of a transfer in pieces. */
interface Cut {
  /** Size of the largest piece, while it is not known why larger bodies break off. */
  trial?: number
  isGrowing?: boolean
  /** Where the latest piece ends. */
  end?: number
  /** The rest of the file, where it is read as a stream: it is opened once for all pieces. */
  rest?: Rest | undefined
}

interface Rest {
  readonly reader: ReadableStreamDefaultReader<Uint8Array>
  /** What was read of it, and belongs to the next piece. */
  left: Uint8Array | undefined
  /** Where in the file `left` begins; NaN once nothing more can be read. */
  at: number
}

const cuts = new WeakMap<Transfer, Cut>()

const cutOf = (transfer: Transfer): Cut => {
  const cut = cuts.get(transfer) ?? {}
  cuts.set(transfer, cut)
  return cut
}

/** Closes what is open of a file, because its transfer has ended or goes on elsewhere in it. */
export const release = (transfer: Transfer): void => {
  const cut = cuts.get(transfer)
  cut?.rest?.reader.cancel().catch(() => {})
  if (cut) cut.rest = undefined
}

/** The next bytes of a stream that stays open. */
const readPiece = (rest: Rest, size: number): ReadableStream<Uint8Array> => {
  let missing = size
  const giveUp = (): void => {
    rest.at = Number.NaN
  }
  const read = async () => {
    try {
      return (await rest.reader.read()).value
    } catch (cause) {
      giveUp()
      throw cause
    }
  }
  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const chunk = rest.left ?? (await read())
        // The stream has ended early: so does the piece, and what sends it says so.
        if (!chunk) return controller.close()
        const piece = chunk.subarray(0, missing)
        rest.left = piece.length < chunk.length ? chunk.subarray(piece.length) : undefined
        rest.at += piece.length
        missing -= piece.length
        controller.enqueue(piece)
        if (missing === 0) controller.close()
      },
      cancel: (reason) => {
        giveUp()
        return rest.reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}

/** Decides how large the next piece of a file may be whose bodies break off without a word. */
const adjustTrial = (cut: Cut, host: string, start: number, silent: number): void => {
  if (cut.trial === undefined) {
    if (silent > 1) Object.assign(cut, { trial: smallestPiece, isGrowing: true })
  } else if (cut.isGrowing) {
    if (start === cut.end) cut.trial *= 2
    else if (silent > 0 && cut.trial > smallestPiece) {
      // Half of it got through a moment ago.
      cut.trial /= 2
      cut.isGrowing = false
      if (cut.trial >= worthKeeping) found.set(host, cut.trial)
    }
  }
}

/**
 * The next piece of a file, where the rest of it is too much for one body.
 *
 * @param silent bodies in a row that broke off, and of which the ingest has not a byte though it can be asked
 * @returns the whole rest, where that may be sent
 */
export const takePiece = async (
  url: string,
  transfer: Transfer,
  start: number,
  silent: number,
): Promise<readonly [body: UploadBody, size: number]> => {
  const host = hostOf(url)
  const { file } = transfer
  const cut = cutOf(transfer)
  adjustTrial(cut, host, start, silent)
  const { trial = Infinity } = cut
  if (cut.rest?.at !== start) release(transfer)
  const size = Math.min(file.size - start, trial, found.get(host) ?? Infinity, advertised.get(host) ?? Infinity)
  cut.end = start + size
  if (!cut.rest) {
    let body = await file.slice(start)
    if (cut.end === file.size) return [body, size]
    // React Native reads such a file as a whole, or as a Blob.
    if ("uri" in body) body = await (await fetch(body.uri)).blob()
    if ("slice" in body) return [(body as Blob).slice(0, size), size]
    cut.rest = { reader: (body as ReadableStream<Uint8Array>).getReader(), left: undefined, at: start }
  }
  return [readPiece(cut.rest, size), size]
}

/**
 * Learns from an answer how large a body may be.
 *
 * @param asking  the transfer; its `forget` is called with -1 where the same bytes may be sent again at once, in smaller pieces
 * @param largest the operator's limit, in bytes, as the answer's header says it
 * @param size    bytes of the body that was answered, which began at `start`; undefined for HEAD
 * @param silent  bodies in a row that broke off; -1 before the first one
 * @returns the answer; to HEAD with the reason of a refusal, as `askWhy` finds it; that of a proxy which refuses the size as the ingest's would be: the same offset again, or where
 *          no smaller piece is worth a try a problem that says so
 */
export const learn = (
  reply: Reply,
  asking: Asking & { readonly forget: (failures: number) => void },
  largest: string | null | undefined,
  start: number | undefined,
  size: number | undefined,
  silent: number,
  byFetch: typeof fetchReply,
  readOffset: (reply: Reply) => number,
): Reply | Promise<Reply> => {
  const host = hostOf(asking.url())
  if (/^\d{1,15}$/.test(largest!)) advertised.set(host, Math.max(Number(largest), smallestPiece))
  if (start === undefined || size === undefined) return askWhy(reply, asking, silent < 0, byFetch, readOffset)
  if (reply.status !== 413 || ofSluice.test(reply.body)) return reply
  if (size <= smallestPiece) {
    const server = /^[\w./ -]{1,40}$/.exec(reply.header("server") ?? "")
    const detail = `A proxy in front of the ingest${server ? ` (${server[0]})` : ""} refuses bodies of ${size} bytes. Files are cut into pieces of no less than ${smallestPiece / 1024} KiB: raise the proxy's limit (nginx: client_max_body_size 0).`
    return { ...reply, body: JSON.stringify({ code: "INVALID_CONFIG", detail }) }
  }
  found.set(host, Math.min(2 ** Math.ceil(Math.log2(size) - 1), largestPiece, found.get(host) ?? Infinity))
  asking.forget(-1)
  return { ...reply, status: 409, header: () => `${start}` }
}
