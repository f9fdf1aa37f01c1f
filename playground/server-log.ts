import { format } from "node:util"

/** One line of what the servers said. `at` in ms since the epoch. */
export interface LogEntry {
  readonly at: number
  readonly source: "app" | "ingest"
  readonly level: "info" | "warn" | "error"
  readonly text: string
}

/** Everything the servers say, live in every open page. */
export interface ServerLog {
  readonly record: (source: LogEntry["source"], level: LogEntry["level"], text: string) => void
  /** Server-sent events: the last 200 entries, then each new one. */
  readonly toEventStream: () => ReadableStream<Uint8Array<ArrayBuffer>>
  /** Ends all streams. */
  readonly close: () => void
}

const kept = 200

/**
 * Makes the log. From then on whatever this process prints with `console` is an entry of it, as the app's.
 *
 * @param print where entries go beside the pages
 */
export const captureConsole = (print: (entry: LogEntry) => void): ServerLog => {
  const entries: Array<LogEntry> = []
  const readers = new Set<ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>>()
  const encoder = new TextEncoder()
  const encode = (entry: LogEntry) => encoder.encode(`data: ${JSON.stringify(entry)}\n\n`)

  const record: ServerLog["record"] = (source, level, text) => {
    const entry: LogEntry = { at: Date.now(), source, level, text }
    entries.push(entry)
    if (entries.length > kept) entries.shift()
    print(entry)
    const bytes = encode(entry)
    for (const reader of readers) reader.enqueue(bytes)
  }
  console.log = console.info = console.debug = (...args) => record("app", "info", format(...args))
  console.warn = (...args) => record("app", "warn", format(...args))
  console.error = (...args) => record("app", "error", format(...args))

  return {
    record,
    toEventStream: () => {
      let reader: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>
      return new ReadableStream({
        start: (controller) => {
          reader = controller
          readers.add(controller)
          controller.enqueue(encoder.encode("retry: 1000\n\n"))
          for (const entry of entries) controller.enqueue(encode(entry))
        },
        cancel: () => void readers.delete(reader),
      })
    },
    close: () => {
      for (const reader of readers) reader.close()
      readers.clear()
    },
  }
}
