import { describe, expect, test } from "vitest"
import { UploadError } from "../../../src/protocol.ts"
import { de } from "../../../src/texts/de.ts"
import { createMerger } from "../../../src/ui/tray/merge-states.ts"
import { createUploadTexts } from "../../../src/ui/texts/english-texts.ts"
import { sayOfAll } from "../../../src/ui/markup/say-of-all.ts"
import type { UploadItem, UploadState } from "../../../src/ui/controller/upload-state.ts"

const texts = createUploadTexts()
const error = new UploadError({ code: "INGEST_UNAVAILABLE", message: "Not now." })

const uploading = { status: "uploading", loaded: 500_000, progress: 50 } as const
const paused = { ...uploading, status: "paused" } as const
const queued = { status: "queued" } as const
const processing = { status: "processing", loaded: 1_000_000, progress: 99 } as const
const offline = { status: "waiting", waitingFor: "offline", error } as const
const locked = { status: "waiting", waitingFor: "locked" } as const
const retry = () => ({ status: "waiting", waitingFor: "retry", error, retryAt: Date.now() + 29_500 }) as const
const done = { status: "done", loaded: 1_000_000, progress: 100, key: "k" } as const
const failed = { status: "failed", error, canRetry: true } as const

const stateOf = (...items: ReadonlyArray<Partial<UploadItem>>): UploadState => {
  const files = items.map((item, index): UploadItem => ({
    id: String(index),
    name: `${index}.png`,
    size: 1_000_000,
    type: "image/png",
    file: undefined,
    progress: 0,
    loaded: 0,
    previewUrl: undefined,
    status: "queued",
    ...item,
  }))
  return createMerger()([{ files } as unknown as UploadState], () => true) as UploadState
}

const say = (isAlone: boolean, ...items: ReadonlyArray<Partial<UploadItem>>) =>
  sayOfAll({ state: stateOf(...items), texts }, isAlone)

describe("the title of a tray", () => {
  test("counts what moves, and nothing else", () => {
    expect(say(false, uploading)).toEqual({ what: "Uploading 1 file" })
    expect(say(false, queued, queued)).toEqual({ what: "Uploading 2 files" })
    expect(say(false, uploading, queued, processing, done)).toEqual({ what: "Uploading 3 files" })
    expect(say(false, uploading, paused, offline, retry(), locked)).toEqual({ what: "Uploading 1 file" })
  })

  test("says why nothing moves", () => {
    expect(say(false, offline)).toEqual({ what: "Offline, continues when you are back" })
    expect(say(false, offline, queued, paused)).toEqual({ what: "Offline, continues when you are back" })
    expect(say(false, locked)).toEqual({ what: "Being uploaded in another tab" })
    expect(say(false, paused).what).toMatch(/^Paused · /)
    expect(say(false, processing, processing)).toEqual({ what: "Sent, waiting for the app…" })
    expect(say(false, retry())).toEqual({ what: "1 file tries again" })
    expect(say(false, retry(), retry(), paused)).toEqual({ what: "2 files try again" })
    // Three at a time: what comes behind them waits as they do.
    expect(say(false, retry(), retry(), retry(), queued, queued)).toEqual({ what: "3 files try again" })
  })

  test("says when a file is tried again where nothing else of the tray is to be seen", () => {
    expect(say(true, retry())).toEqual({ what: "1 file tries again in 30 s" })
    expect(say(true, uploading, retry())).toEqual({ what: "Uploading 1 file", retrying: "1 file tries again in 30 s" })
    expect(say(true, uploading)).toEqual({ what: "Uploading 1 file" })
  })

  test("says at the end what became of the files", () => {
    expect(say(false, done, done, failed)).toEqual({ what: "2 uploaded, 1 failed" })
  })

  test("says so in another language", () => {
    expect(sayOfAll({ state: stateOf(offline), texts: de }, false).what).toContain("Offline")
    expect(sayOfAll({ state: stateOf(retry()), texts: de }, true).what).toMatch(/^1 Datei: neuer Versuch in 30/)
  })
})
