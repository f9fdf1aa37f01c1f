import type { TracingOptions } from "./tracing-options.ts"

const invalid = (detail: string) => new TypeError(`INVALID_CONFIG: ${detail}`)

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text.trim())
  } catch {
    throw invalid(
      "OTEL_EXPORTER_OTLP_HEADERS is not percent-encoded as it should be. Write it like name=value,other=value.",
    )
  }
}

const parseHeaders = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split(",")
      .filter((pair) => pair.includes("="))
      .map((pair) => [pair.slice(0, pair.indexOf("=")).trim(), decode(pair.slice(pair.indexOf("=") + 1))]),
  )

const parseRatio = (sampler: string, argument: string | undefined): number => {
  if (sampler.endsWith("always_off")) return 0
  if (!sampler.endsWith("traceidratio") || argument === undefined) return 1
  const ratio = Number(argument)
  if (ratio >= 0 && ratio <= 1) return ratio
  throw invalid(`OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not ${JSON.stringify(argument)}.`)
}

/**
 * Reads the environment's settings for traces, by OpenTelemetry's names: `OTEL_EXPORTER_OTLP_ENDPOINT` or
 * `…_TRACES_ENDPOINT`, `…_HEADERS`, `OTEL_SERVICE_NAME`, `OTEL_TRACES_SAMPLER` with `_ARG`; `OTEL_SDK_DISABLED=true`
 * and `OTEL_TRACES_EXPORTER=none` switch them off. Undefined where no endpoint is named.
 *
 * Fails:  throws `TypeError` naming the variable; its value is shown only where it cannot be a secret.
 * Source: https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/
 */
export const readTracingEnvironment = (
  environment: Readonly<Record<string, string | undefined>>,
): TracingOptions | undefined => {
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined
  const either = (name: string) => read(`OTEL_EXPORTER_OTLP_TRACES_${name}`) ?? read(`OTEL_EXPORTER_OTLP_${name}`)
  const base = read("OTEL_EXPORTER_OTLP_ENDPOINT")?.replace(/\/+$/, "")
  const url = read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ?? (base === undefined ? undefined : `${base}/v1/traces`)
  const isOff =
    read("OTEL_SDK_DISABLED")?.toLowerCase() === "true" || (read("OTEL_TRACES_EXPORTER") ?? "otlp") !== "otlp"
  if (url === undefined || isOff) return undefined
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw invalid("the OTLP endpoint must be an http(s) URL. Write it like http://localhost:4318.")
  }
  if (either("PROTOCOL") === "grpc") {
    throw invalid(
      "traces are sent over HTTP, not gRPC. Unset OTEL_EXPORTER_OTLP_PROTOCOL and name the collector's HTTP port, usually 4318.",
    )
  }
  return {
    url,
    headers: parseHeaders(either("HEADERS") ?? ""),
    serviceName: read("OTEL_SERVICE_NAME"),
    sampleRatio: parseRatio(read("OTEL_TRACES_SAMPLER") ?? "", read("OTEL_TRACES_SAMPLER_ARG")),
  }
}
