import * as Context from "effect/Context"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import type { Write } from "../../server-kit/logging.ts"
import { redact } from "../../server-kit/redact.ts"
import { splitTraceparent, type TraceContext } from "../../protocol/trace-context.ts"
import type { TracingOptions } from "./tracing-options.ts"

/** A unit of work in a trace that is recorded. */
export interface Span {
  /** For requests that continue the trace: this span is their parent. */
  readonly context: TraceContext
  readonly child: (name: string, attributes?: Readonly<Record<string, unknown>>) => Span
  readonly annotate: (attributes: Readonly<Record<string, unknown>>) => void
  /** Ends it, once; `failure` says why the work failed. */
  readonly end: (failure?: string) => void
}

/** What a span begins with. */
interface SpanStart {
  readonly name: string
  readonly kind: "server" | "client"
  /** The trace it continues; without one it begins a trace. */
  readonly parent: TraceContext | undefined
  readonly attributes: Readonly<Record<string, unknown>>
}

/** Records spans. */
export interface Tracing {
  /** Resolves when {@link start} may be called; never rejects. */
  readonly ready: Promise<void>
  /** Undefined when the trace is not to be recorded. */
  readonly start: (span: SpanStart) => Span | undefined
  /** Sends what was recorded; waits 2 s at most. */
  readonly close: () => Promise<void>
}

/** Nanoseconds since the epoch, to the µs; steady within a request even when the system's clock is changed. */
type Clock = () => bigint

const createClock = (): Clock => {
  const start = Date.now() - performance.now()
  return () => BigInt(Math.round((start + performance.now()) * 1000)) * 1000n
}

/** What the spans of one request share. */
interface Recording {
  readonly tracer: Tracer.Tracer
  readonly clock: Clock
  readonly tracestate: string | undefined
}

const toSpan = (recording: Recording, span: Tracer.Span): Span => {
  const { clock, tracestate } = recording
  const annotate: Span["annotate"] = (attributes) => {
    for (const [name, value] of Object.entries(attributes)) if (value !== undefined) span.attribute(name, value)
  }
  return {
    context: {
      traceparent: `00-${span.traceId}-${span.spanId}-01`,
      ...(tracestate !== undefined && { tracestate }),
    },
    annotate,
    child: (name, attributes = {}) => {
      const parent = Option.some(span)
      const child = toSpan(recording, makeSpan(recording, name, "internal", parent))
      child.annotate(attributes)
      return child
    },
    end: (failure) => span.end(clock(), failure === undefined ? Exit.void : Exit.fail(redact(failure))),
  }
}

const makeSpan = (
  { tracer, clock }: Recording,
  name: string,
  kind: Tracer.SpanKind,
  parent: Option.Option<Tracer.AnySpan>,
): Tracer.Span =>
  tracer.span({
    name,
    kind,
    parent,
    annotations: Context.empty(),
    links: [],
    startTime: clock(),
    root: Option.isNone(parent),
    sampled: true,
  })

/** Starts to record and send spans. Where that fails, the log says why, and nothing is recorded. */
export const createTracing = (options: TracingOptions, write: Write): Tracing => {
  const { sampleRatio = 1 } = options
  // Only ingests that trace load the exporter.
  const opening = import("./otlp-tracer.ts")
    .then(({ openOtlpTracer }) => openOtlpTracer(options))
    .catch((cause: unknown) => {
      write("Warning", "Traces are not recorded: the exporter cannot be started.", [cause])
      return undefined
    })
  let tracer: Tracer.Tracer | undefined
  return {
    ready: opening.then((opened) => {
      tracer = opened?.tracer
    }),
    start: ({ name, kind, parent, attributes }) => {
      if (tracer === undefined) return undefined
      const from = parent === undefined ? undefined : splitTraceparent(parent.traceparent)
      if (!(from?.sampled ?? Math.random() < sampleRatio)) return undefined
      const origin = from === undefined ? Option.none() : Option.some(Tracer.externalSpan(from))
      const recording = { tracer, clock: createClock(), tracestate: parent?.tracestate }
      const span = toSpan(recording, makeSpan(recording, name, kind, origin))
      span.annotate(attributes)
      return span
    },
    close: async () => (await opening)?.close(),
  }
}
