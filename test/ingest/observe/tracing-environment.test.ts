import { describe, expect, it } from "vitest"
import { readTracingEnvironment } from "../../../src/ingest.ts"

const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" }

describe("readTracingEnvironment", () => {
  it("is off where no endpoint is named, or one is and the rest says no", () => {
    expect(readTracingEnvironment({})).toBeUndefined()
    expect(readTracingEnvironment({ OTEL_EXPORTER_OTLP_ENDPOINT: " " })).toBeUndefined()
    expect(readTracingEnvironment({ ...endpoint, OTEL_SDK_DISABLED: "TRUE" })).toBeUndefined()
    expect(readTracingEnvironment({ ...endpoint, OTEL_TRACES_EXPORTER: "none" })).toBeUndefined()
  })

  it("adds the path to the endpoint of all signals, none to the one of traces", () => {
    expect(readTracingEnvironment(endpoint)).toEqual({
      url: "http://collector:4318/v1/traces",
      headers: {},
      serviceName: undefined,
      sampleRatio: 1,
    })
    const url = "https://other/otlp"
    expect(readTracingEnvironment({ ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: url })?.url).toBe(url)
  })

  it("takes headers, percent-decoded, those of traces before those of all", () => {
    const OTEL_EXPORTER_OTLP_HEADERS = "authorization=Bearer%20a=b, x-team = files ,rubbish"
    expect(readTracingEnvironment({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS })?.headers).toEqual({
      authorization: "Bearer a=b",
      "x-team": "files",
    })
    const OTEL_EXPORTER_OTLP_TRACES_HEADERS = "a=1"
    expect(
      readTracingEnvironment({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS, OTEL_EXPORTER_OTLP_TRACES_HEADERS })?.headers,
    ).toEqual({ a: "1" })
  })

  it("takes the service's name and the sampler", () => {
    const read = (sampler: string, argument?: string) =>
      readTracingEnvironment({
        ...endpoint,
        OTEL_SERVICE_NAME: "files",
        OTEL_TRACES_SAMPLER: sampler,
        OTEL_TRACES_SAMPLER_ARG: argument,
      })
    expect(read("parentbased_traceidratio", "0.25")).toMatchObject({ serviceName: "files", sampleRatio: 0.25 })
    expect(read("parentbased_always_on", "0.25")?.sampleRatio).toBe(1)
    expect(read("always_off")?.sampleRatio).toBe(0)
    for (const wrong of ["2", "-1", "half"]) {
      expect(() => read("traceidratio", wrong)).toThrow(/OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/)
    }
  })

  it("says what is wrong with an endpoint, and of what may be secret nothing", () => {
    const refusal = (environment: Record<string, string>): string => {
      try {
        return `accepted: ${JSON.stringify(readTracingEnvironment(environment))}`
      } catch (error) {
        expect(error).toBeInstanceOf(TypeError)
        return String(error)
      }
    }
    expect(refusal({ OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" })).toMatch(/http:\/\/localhost:4318/)
    expect(refusal({ ...endpoint, OTEL_EXPORTER_OTLP_PROTOCOL: "grpc" })).toMatch(/4318/)
    const headers = refusal({ ...endpoint, OTEL_EXPORTER_OTLP_HEADERS: "authorization=hunter2%" })
    expect(headers).toMatch(/OTEL_EXPORTER_OTLP_HEADERS/)
    expect(headers).not.toContain("hunter2")
  })
})
