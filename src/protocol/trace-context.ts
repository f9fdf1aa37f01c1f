/**
 * Where a request belongs in a distributed trace; spread into the headers of a request, it forwards the trace.
 *
 * Shape:  `traceparent` is `00-<trace id: 32 hex>-<span id: 16 hex>-<flags: 2 hex>`, `tracestate` up to 512 characters.
 * Source: W3C Trace Context (https://www.w3.org/TR/trace-context/), docs/protocol.md §10.
 */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string
}

/**
 * Of several values, the last one is used: an instrumented `fetch` adds its own after the forwarded one, and HTTP
 * joins them. Version 00 only, no id of all zeros.
 */
const traceparentPattern = /(?:^|, ?)(00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2})$/

/** Reads a request's trace context; undefined when it has no valid one. `tracestate` is forwarded unread. */
export const parseTraceContext = (headers: Pick<Headers, "get">): TraceContext | undefined => {
  const traceparent = traceparentPattern.exec(headers.get("traceparent") ?? "")?.[1]
  if (traceparent === undefined) return undefined
  const tracestate = headers.get("tracestate") ?? ""
  return /^[\x20-\x7e]{1,512}$/.test(tracestate) ? { traceparent, tracestate } : { traceparent }
}

/** The parts of a valid `traceparent`. */
export const splitTraceparent = (
  traceparent: string,
): { readonly traceId: string; readonly spanId: string; readonly sampled: boolean } => {
  const [, traceId = "", spanId = "", flags = ""] = traceparent.split("-")
  return { traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }
}

/** The trace id of a valid context; for the log. */
export const traceIdOf = ({ traceparent }: TraceContext): string => splitTraceparent(traceparent).traceId

const randomHex = (bytes: number): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(bytes)), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** Begins a trace that is to be recorded. Shape: `00-<trace id>-<span id>-01`, ids random. */
export const createTraceparent = (): string => `00-${randomHex(16)}-${randomHex(8)}-01`
