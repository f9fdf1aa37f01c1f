import { names } from "../../protocol/names.ts"
import { type Cell, createMetricRegistry, type HistogramCell, type Metric } from "./metric-registry.ts"

/** What the ingest counts. docs/operating.md lists it for operators. */
export interface Metrics {
  /** Labels: method, route pattern, status, problem code or "". */
  readonly requests: Metric<Cell>
  /** Labels: method, route pattern. Seconds until the answer's headers. */
  readonly requestDuration: Metric<HistogramCell>
  readonly receivedBytes: Cell
  readonly sentBytes: Cell
  readonly activeUploads: Cell
  /** Set when the metrics are read. */
  readonly activeReaders: Cell
  readonly cutReaders: Cell
  /** Label: `stored` or the problem code the file failed with. */
  readonly endedUploads: Metric<Cell>
  readonly uploadDuration: HistogramCell
  readonly uploadSize: HistogramCell
  readonly finishDuration: HistogramCell
  readonly commitDuration: HistogramCell
  /** Labels: `blobs` or `catalog`, the operation. */
  readonly storageErrors: Metric<Cell>
  /** Label: `delivered`, `failed` or `dead`. */
  readonly callbackAttempts: Metric<Cell>
  readonly callbackDuration: HistogramCell
  /** Label: `pending` or `dead`. Set when the metrics are read. */
  readonly deliveries: Metric<Cell>
  /** Label: `delivered`, `failed` or `dead`. */
  readonly endpointAttempts: Metric<Cell>
  /** Label: `pending` or `dead`. Set when the metrics are read. */
  readonly endpointEvents: Metric<Cell>
  /** Set when the metrics are read. */
  readonly devStreams: Cell
  /** Label: `clean`, `found`, `refused`, `silent`, `away` or `failed`. */
  readonly scans: Metric<Cell>
  readonly activeScans: Cell
  readonly abandoned: Cell
  readonly reclaimed: Cell
  /** Seconds since the epoch. */
  readonly lastSweep: Cell
  /** Set when the metrics are read; label: quantile. */
  readonly eventLoopDelay: Metric<Cell>
  readonly residentMemory: Cell
  readonly heapUsed: Cell
  readonly processorTime: Cell
  readonly startTime: Cell
  /** Labels: version, runtime. */
  readonly build: Metric<Cell>
  /** Prometheus' text format. */
  readonly render: () => string
}

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60]
const longSeconds = [0.01, 0.05, 0.1, 0.5, 1, 5, 10, 30, 60, 300, 900, 3600, 14_400]
const bytes = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576].map((kib) => kib * 1024)

/** Makes the metrics of one ingest, all at 0. */
export const createMetrics = (): Metrics => {
  const { counter, gauge, histogram, render } = createMetricRegistry()
  const own = `${names.word}_`
  return {
    requests: counter(`${own}http_requests_total`, "Requests answered.", ["method", "route", "status", "code"]),
    requestDuration: histogram(
      `${own}http_request_duration_seconds`,
      "Time until the answer's headers, including the time to read the request's body.",
      seconds,
      ["method", "route"],
    ),
    receivedBytes: counter(`${own}received_bytes_total`, "Bytes of files written to the store.").cell(),
    sentBytes: counter(`${own}sent_bytes_total`, "Bytes of files that answers announced.").cell(),
    activeUploads: gauge(`${own}uploads_active`, "Uploading requests under way.").cell(),
    activeReaders: gauge(`${own}readers_active`, "Files being sent to clients.").cell(),
    cutReaders: counter(`${own}readers_cut_off_total`, "Clients cut off that took a file too slowly.").cell(),
    endedUploads: counter(`${own}uploads_ended_total`, "Uploads ended, by outcome.", ["outcome"]),
    uploadDuration: histogram(
      `${own}upload_duration_seconds`,
      "Time from an upload's first request to the stored file, interruptions included; without small files.",
      longSeconds,
    ).cell(),
    uploadSize: histogram(`${own}upload_size_bytes`, "Sizes of stored files.", bytes).cell(),
    finishDuration: histogram(
      `${own}blob_finish_duration_seconds`,
      "Time to make a stored blob final.",
      seconds,
    ).cell(),
    commitDuration: histogram(
      `${own}catalog_commit_duration_seconds`,
      "Time to commit a stored file to the catalog.",
      seconds,
    ).cell(),
    storageErrors: counter(
      `${own}storage_errors_total`,
      "Operations of blob store and catalog that failed; writers taken over by newer ones do not count.",
      ["storage", "operation"],
    ),
    callbackAttempts: counter(`${own}callback_attempts_total`, "Attempts to call an app back, by outcome.", [
      "outcome",
    ]),
    callbackDuration: histogram(
      `${own}callback_duration_seconds`,
      "Time an app took to answer a callback.",
      seconds,
    ).cell(),
    deliveries: gauge(`${own}deliveries`, "Events not delivered: still tried, or given up. Counted up to 10000.", [
      "status",
    ]),
    endpointAttempts: counter(
      `${own}endpoint_attempts_total`,
      "Attempts to send an event to an endpoint, by outcome.",
      ["outcome"],
    ),
    endpointEvents: gauge(
      `${own}endpoint_events`,
      "Events of endpoints not delivered: still tried, or given up. Counted up to 10000.",
      ["status"],
    ),
    devStreams: gauge(`${own}dev_streams_open`, "Development streams open.").cell(),
    scans: counter(`${own}scans_total`, "Scans of held files, by what the scanner said.", ["verdict"]),
    activeScans: gauge(`${own}scans_active`, "Held files being scanned.").cell(),
    abandoned: counter(
      `${own}housekeeping_abandoned_total`,
      "Uploads, unregistered files and registrations ended because nobody finished them.",
    ).cell(),
    reclaimed: counter(`${own}housekeeping_reclaimed_total`, "Files whose bytes were removed.").cell(),
    lastSweep: gauge(
      `${own}housekeeping_last_success_timestamp_seconds`,
      "When abandoned uploads were last ended.",
    ).cell(),
    eventLoopDelay: gauge(`${own}event_loop_delay_seconds`, "Delay of the event loop since the last scrape.", [
      "quantile",
    ]),
    residentMemory: gauge("process_resident_memory_bytes", "Resident memory of the process.").cell(),
    heapUsed: gauge(`${own}heap_used_bytes`, "JavaScript heap in use.").cell(),
    processorTime: counter("process_cpu_seconds_total", "Processor time of the process.").cell(),
    startTime: gauge("process_start_time_seconds", "When the process started, seconds since the epoch.").cell(),
    build: gauge(`${own}build_info`, "1, with the version as a label.", ["version", "runtime"]),
    render,
  }
}
