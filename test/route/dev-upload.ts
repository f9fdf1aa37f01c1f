import { vi } from "vitest"
import { createSluice } from "../../src/server.ts"
import { appUrl, handlerOf, png, uploadRequest } from "./call-app.ts"
import type { Answer, MockIngest } from "./mock-ingest.ts"
import { sign } from "./signed-event.ts"

const f = createSluice()
export const router = {
  "my route": f({ image: {} }, { presignedUrlTtl: "1 minute" })
    .onUploadError(() => {})
    .onUploadComplete(() => 1),
}

/** A development stream in the hands of a test. */
export const openStream = () => {
  let controller!: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({ start: (c) => void (controller = c) })
  const encoder = new TextEncoder()
  return {
    answer: (() => new Response(body)) satisfies Answer,
    write: (...chunks: ReadonlyArray<string | Uint8Array>) => {
      for (const chunk of chunks) controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk)
    },
    end: () => controller.close(),
    breakOff: () => controller.error(new Error("reset")),
  }
}

/** Uploads in development; the work that goes on after the answer, and what the app itself is sent meanwhile. */
export const uploadInDevelopment = async (ingest: MockIngest, options = {}, ownAnswer?: Answer) => {
  const deliveries = ingest.watch(appUrl, ownAnswer)
  const work: Array<Promise<unknown>> = []
  const handle = handlerOf(router, { isDev: true, waitUntil: (promise) => void work.push(promise), ...options })
  const response = await handle(uploadRequest("my route", { files: [png] }))
  return { deliveries, response, over: Promise.all(work) }
}

/** An event as a line of the stream. */
export const line = (event: object, hook = "callback"): string => {
  const payload = JSON.stringify(event)
  return `${JSON.stringify({ payload, signature: sign(payload), hook })}\n`
}

/** The stream's reader hands deliveries on without waiting for them. */
export const until = (condition: () => void) => vi.waitFor(condition, { timeout: 5000, interval: 5 })
