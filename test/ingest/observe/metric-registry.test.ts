import { expect, it } from "vitest"
import { createMetricRegistry } from "../../../src/ingest/observe/metric-registry.ts"

it("renders counters, gauges and histograms as Prometheus reads them", () => {
  const registry = createMetricRegistry()
  const counter = registry.counter("requests_total", "Requests.", ["method", "status"])
  counter.cell("PUT", "200").add()
  counter.cell("GET", "404").add()
  counter.cell("PUT", "200").add(2)
  registry.gauge("memory_bytes", "Memory.").cell().set(1.5)
  const histogram = registry.histogram("duration_seconds", "Duration.", [0.1, 1], ["route"])
  for (const value of [0.1, 0.5, 7]) histogram.cell("/{key}").observe(value)
  expect(registry.render()).toBe(`# HELP requests_total Requests.
# TYPE requests_total counter
requests_total{method="PUT",status="200"} 3
requests_total{method="GET",status="404"} 1
# HELP memory_bytes Memory.
# TYPE memory_bytes gauge
memory_bytes 1.5
# HELP duration_seconds Duration.
# TYPE duration_seconds histogram
duration_seconds_bucket{route="/{key}",le="0.1"} 1
duration_seconds_bucket{route="/{key}",le="1"} 2
duration_seconds_bucket{route="/{key}",le="+Inf"} 3
duration_seconds_sum{route="/{key}"} 7.6
duration_seconds_count{route="/{key}"} 3
`)
})

it("shows a metric without labels before anything happened, one with labels not", () => {
  const registry = createMetricRegistry()
  registry.counter("plain_total", "Plain.")
  registry.counter("labelled_total", "Labelled.", ["code"])
  expect(registry.render()).toContain("plain_total 0\n")
  expect(registry.render()).not.toMatch(/^labelled_total/m)
})

it("lets no label value end its line or its quotes", () => {
  const registry = createMetricRegistry()
  registry.counter("one_total", "One.", ["text"]).cell('a"b\\c\nd').add()
  expect(registry.render()).toContain('one_total{text="a\\"b\\\\c\\nd"} 1\n')
})
