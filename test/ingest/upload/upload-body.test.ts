import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { Rejected } from "../../../src/server-kit/rejected.ts"
import { BodyBrokeOff, readUploadBody } from "../../../src/ingest/upload/upload-body.ts"

const encoder = new TextEncoder()
const never = new AbortController().signal

/** A request whose body comes in these pieces. */
const requestOf = (pieces: ReadonlyArray<Uint8Array>, contentType: string): Request => {
  const queue = [...pieces]
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const piece = queue.shift()
      if (piece === undefined) controller.close()
      else controller.enqueue(piece)
    },
  })
  return new Request("http://localhost/", {
    method: "PUT",
    body,
    headers: { "content-type": contentType },
    duplex: "half",
  } as RequestInit)
}

const readAll = async (request: Request, signal = never): Promise<Buffer> => {
  const chunks: Array<Uint8Array> = []
  for await (const chunk of readUploadBody(request, { signal })) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const cut = (bytes: Uint8Array, at: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const marks = [0, ...at.map((n) => n % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return marks.slice(1).map((mark, index) => bytes.subarray(marks[index], mark))
}

const formOf = (content: Uint8Array, boundary: string, before = "", after = ""): Uint8Array =>
  Buffer.concat([
    encoder.encode(
      `${before}--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\nContent-Type: image/png\r\n\r\n`,
    ),
    content,
    encoder.encode(`\r\n--${boundary}--\r\n${after}`),
  ])

const type = (boundary: string) => `multipart/form-data; boundary=${boundary}`

/** Bytes that look like multipart framing. */
const nasty = (boundary: string) =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom("\r", "\n", "\r\n", "--", "-", `\r\n--${boundary.slice(0, -1)}`, `--${boundary}`, "\r\n--"),
        fc.string({ maxLength: 5 }),
      ),
      { maxLength: 60 },
    )
    .map((parts) => parts.join(""))
    // What holds the delimiter is no content; the line before the content ends in \r\n already.
    .filter((text) => !`\r\n${text}`.includes(`\r\n--${boundary}`))
    .map((text) => encoder.encode(text))

describe("the body of a PUT", () => {
  it("is the part named file, however it is cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc
          .constantFrom("b", "----WebKitFormBoundaryAbC", "-----", "x-")
          .chain((boundary) => fc.record({ boundary: fc.constant(boundary), content: nasty(boundary) })),
        fc.array(fc.nat(), { maxLength: 12 }),
        async ({ boundary, content }, cuts) => {
          const body = formOf(content, boundary)
          expect(await readAll(requestOf(cut(body, cuts), type(boundary)))).toEqual(Buffer.from(content))
        },
      ),
      { numRuns: 500 },
    )
  })

  it("is the same when every byte comes alone", async () => {
    const content = encoder.encode("a\r\n--\r\n--bound\r\n-")
    const body = formOf(content, "boundary")
    expect(await readAll(requestOf(cut(body, [...body.keys()]), type("boundary")))).toEqual(Buffer.from(content))
  })

  it("is everything when it is no form", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat()), async (content, cuts) => {
        const read = await readAll(requestOf(cut(content, cuts), "application/octet-stream"))
        expect(read).toEqual(Buffer.from(content))
      }),
    )
  })

  it("passes other parts over, before and after", async () => {
    const other = `--b\r\nContent-Disposition: form-data; name="other"\r\n\r\nvalue\r\n`
    const body = formOf(encoder.encode("content"), "b", other, "epilogue")
    expect((await readAll(requestOf([body], type("b")))).toString()).toBe("content")
  })

  it("takes only the first part named file", async () => {
    const one = formOf(encoder.encode("first"), "b").subarray(0, -"--b--\r\n".length)
    const body = Buffer.concat([one, formOf(encoder.encode("second"), "b")])
    expect((await readAll(requestOf([body], type("b")))).toString()).toBe("first")
  })

  it.each([
    ["no boundary", "multipart/form-data", "--b\r\n"],
    ["no part named file", type("b"), `--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n1\r\n--b--\r\n`],
    ["no part at all", type("b"), "hello"],
    ["an empty body", type("b"), ""],
    ["a part without a name", type("b"), `--b\r\nContent-Disposition: form-data\r\n\r\n1\r\n--b--\r\n`],
    ["malformed part headers", type("b"), `--b\r\nContent Disposition\x01: x\r\n\r\n1\r\n--b--\r\n`],
    [
      "a file name that cannot be decoded",
      type("b"),
      `--b\r\nContent-Disposition: form-data; name="file"; filename*=utf-8''%ff%\r\n\r\n1\r\n--b--\r\n`,
    ],
  ])("is refused with %s", async (_what, contentType, body) => {
    await expect(readAll(requestOf([encoder.encode(body)], contentType))).rejects.toThrow(Rejected)
  })

  it("is told apart from one that broke off", async () => {
    const body = formOf(encoder.encode("content"), "b").subarray(0, -5)
    await expect(readAll(requestOf([body], type("b")))).rejects.toThrow(BodyBrokeOff)
  })

  it("is not read on behind other parts without end", async () => {
    let pulled = 0
    const request = new Request("http://localhost/", {
      method: "PUT",
      body: new ReadableStream<Uint8Array>({
        start: (controller) =>
          controller.enqueue(encoder.encode(`--b\r\nContent-Disposition: form-data; name="x"\r\n\r\n`)),
        pull: (controller) => {
          pulled++
          controller.enqueue(new Uint8Array(64 * 1024))
        },
      }),
      headers: { "content-type": type("b") },
      duplex: "half",
    } as RequestInit)
    await expect(readAll(request)).rejects.toThrow(Rejected)
    expect(pulled).toBeLessThan(10)
  })

  it.each(["\r", "\r\n--", "\r\n--boundar", "-"])(
    "of %j over and over costs no more than any other",
    async (pattern) => {
      const content = encoder.encode(pattern.repeat((4 * 1024 * 1024) / pattern.length))
      const body = formOf(content, "boundary")
      const pieces = Array.from({ length: Math.ceil(body.length / 65536) }, (_, i) =>
        body.subarray(i * 65536, (i + 1) * 65536),
      )
      const before = process.cpuUsage()
      expect(Buffer.compare(await readAll(requestOf(pieces, type("boundary"))), content)).toBe(0)
      // A parser that collapses on such bodies takes minutes for 4 MiB.
      expect(process.cpuUsage(before).user).toBeLessThan(5_000_000)
    },
  )

  it("stops when it is told to, also while nothing comes", async () => {
    const controller = new AbortController()
    const request = new Request("http://localhost/", {
      method: "PUT",
      body: new ReadableStream<Uint8Array>({ start: (c) => c.enqueue(encoder.encode("some")) }),
      duplex: "half",
    } as RequestInit)
    const reading = readAll(request, controller.signal)
    setTimeout(() => controller.abort(new Error("newer writer")), 10)
    await expect(reading).rejects.toThrow("newer writer")
  })
})
