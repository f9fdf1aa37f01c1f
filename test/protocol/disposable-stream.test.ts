import { describe, expect, it } from "vitest"
import { disposeChunk, isDisposable, markDisposable } from "../../src/protocol/disposable-stream.ts"

describe("a disposable stream", () => {
  it("is one that was marked, also as the body of a Request or a Response", () => {
    const stream = markDisposable(new ReadableStream())
    expect(isDisposable(stream)).toBe(true)
    expect(isDisposable(new Response(stream).body)).toBe(true)
    const init = { method: "PUT", body: markDisposable(new ReadableStream()), duplex: "half" }
    expect(isDisposable(new Request("http://app.example/", init as RequestInit).body)).toBe(true)
    expect(isDisposable(new ReadableStream())).toBe(false)
    expect(isDisposable(null)).toBe(false)
  })

  it("is none any more once it is teed: two readers share its chunks", () => {
    const init = { method: "PUT", body: markDisposable(new ReadableStream()), duplex: "half" }
    const request = new Request("http://app.example/", init)
    const copy = request.clone()
    expect(isDisposable(request.body)).toBe(false)
    expect(isDisposable(copy.body)).toBe(false)
  })
})

describe("disposing of a chunk", () => {
  it("gives its memory back", () => {
    const chunk = new Uint8Array(1024)
    disposeChunk(chunk)
    expect(chunk.length).toBe(0)
    expect(chunk.buffer.detached).toBe(true)
  })

  it("leaves memory alone that a chunk has only a part of, or shares", () => {
    const part = new Uint8Array(1024).subarray(1)
    disposeChunk(part)
    expect(part.length).toBe(1023)
    const shared = new Uint8Array(new SharedArrayBuffer(8))
    disposeChunk(shared)
    expect(shared.length).toBe(8)
  })
})
