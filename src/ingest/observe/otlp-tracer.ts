import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FetchHttpClient from "effect/http/FetchHttpClient"
import * as Layer from "effect/Layer"
import * as OtlpExporter from "effect/observability/OtlpExporter"
import * as OtlpSerialization from "effect/observability/OtlpSerialization"
import * as OtlpTracer from "effect/observability/OtlpTracer"
import * as Scope from "effect/Scope"
import type * as Tracer from "effect/Tracer"
import { names } from "../../protocol/names.ts"
import type { TracingOptions } from "./tracing-options.ts"

/** The only place that uses Effect's OTLP modules, which are marked unstable. */
const services = Layer.mergeAll(OtlpExporter.layerFlusher, OtlpSerialization.layerJson, FetchHttpClient.layer)

/**
 * A tracer that sends ended spans in batches, at least every second. What the collector does not accept after three
 * more attempts is dropped.
 */
export const openOtlpTracer = async ({
  url,
  headers,
  serviceName = `${names.word}-ingest`,
}: TracingOptions): Promise<{ readonly tracer: Tracer.Tracer; readonly close: () => Promise<void> }> => {
  const scope = await Effect.runPromise(Scope.make())
  const tracer = await OtlpTracer.make({
    url,
    headers,
    resource: { serviceName },
    exportInterval: 1000,
    shutdownTimeout: 2000,
  }).pipe(Effect.provide(services), Effect.provideService(Scope.Scope, scope), Effect.runPromise)
  return { tracer, close: () => Effect.runPromise(Scope.close(scope, Exit.void)) }
}
