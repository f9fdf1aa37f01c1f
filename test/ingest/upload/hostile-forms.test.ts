import { createHash } from "node:crypto"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createIngest, createMemoryBlobStore, createMemoryCatalog } from "../../../src/ingest.ts"
import { readUploadBody } from "../../../src/ingest/upload/upload-body.ts"
import { formatUploadRange, names, type UploadGrant } from "../../../src/protocol.ts"
import { createGrant, sign, token } from "../circle.ts"

const url = "http://ingest.test"

/** Both ways a file can go: kept by the catalog, or streamed to the store. */
const ingests = [0, 64 * 1024].map((largestContent) =>
  createIngest({
    token,
    url,
    logLevel: "None",
    store: createMemoryBlobStore(),
    catalog: createMemoryCatalog({ largestContent }),
  }),
)

const toStream = (pieces: ReadonlyArray<Uint8Array>): ReadableStream<Uint8Array> => {
  const queue = [...pieces]
  return new ReadableStream({
    pull: (controller) => {
      const piece = queue.shift()
      if (piece === undefined) controller.close()
      else controller.enqueue(piece)
    },
  })
}

const putTo = async (
  ingest: (typeof ingests)[number],
  grant: UploadGrant,
  start: number,
  pieces: ReadonlyArray<Uint8Array>,
  contentType: string,
): Promise<Response> =>
  ingest.fetch(
    new Request(await sign(url, grant), {
      method: "PUT",
      body: toStream(pieces),
      headers: { "content-type": contentType, range: formatUploadRange(start) },
      duplex: "half",
    } as RequestInit),
  )

/** Cuts bytes at any places. */
const cut = (bytes: Uint8Array, at: ReadonlyArray<number>): ReadonlyArray<Uint8Array> => {
  const marks = [0, ...at.map((n) => n % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]
  return marks.slice(1).map((mark, index) => bytes.subarray(marks[index], mark))
}

/** A form as it is sent, and the bytes that its part `file` holds. */
interface Form {
  readonly contentType: string
  readonly body: Uint8Array
  readonly content: Uint8Array
}

const boundaries = fc.stringMatching(/^[A-Za-z0-9'()+_,./:=?-]{1,70}$/)

/** Bytes that look like framing, without the delimiter itself. */
const contents = (boundary: string): fc.Arbitrary<Uint8Array> =>
  fc
    .array(
      fc.oneof(
        fc.constantFrom("\r", "\n", "\r\n", "--", `--${boundary}`, `\r\n--${boundary.slice(0, -1)}`, "\r\n--", "\0"),
        fc.string({ maxLength: 4 }),
        fc.constantFrom("x", "\r", "\r\n--").map((text) => text.repeat(500)),
      ),
      { maxLength: 12 },
    )
    .map((parts) => parts.join(""))
    .filter((text) => !`\r\n${text}`.includes(`\r\n--${boundary}`))
    .map((text) => new TextEncoder().encode(text))

const inner = "inner-boundary"

/** Parts that are not the one, also such as hold another form with a part of that name. */
const otherParts = fc.array(
  fc.constantFrom(
    `Content-Disposition: form-data; name="other"\r\n\r\nvalue`,
    `Content-Disposition: form-data; name="File"; filename="file"\r\n\r\nvalue`,
    `content-disposition:form-data;name=files\r\n\r\n`,
    `Content-Type: multipart/mixed; boundary=${inner}\r\nContent-Disposition: form-data; name="nested"\r\n\r\n` +
      `--${inner}\r\nContent-Disposition: form-data; name="file"\r\n\r\nnot this\r\n--${inner}--`,
  ),
  { maxLength: 3 },
)

/** The first one counts. */
const secondFile = `Content-Disposition: form-data; name="file"\r\n\r\nnot this`

const dispositions = fc.constantFrom(
  `Content-Disposition: form-data; name="file"; filename="a.bin"`,
  `content-disposition: form-data; name=file; filename=a.bin`,
  `Content-Disposition: form-data; filename="../../etc/passwd"; name="file"`,
  `Content-Disposition: form-data; name="file"; filename="a\\"b\\\\.bin"`,
  `Content-Disposition: form-data; name="file"; filename="ä.bin"; filename*=UTF-8''%C3%A4.bin`,
)

const extraHeaders = fc.array(
  fc.constantFrom("Content-Type: image/png", "Content-Length: 1", "X-A: b", `X-Long: ${"y".repeat(2000)}`),
  { maxLength: 3 },
)

/** Forms that any reader must take. */
const forms: fc.Arbitrary<Form> = boundaries
  .filter((boundary) => !inner.startsWith(boundary))
  .chain((boundary) =>
    fc
      .record({
        content: contents(boundary),
        before: otherParts,
        after: fc
          .tuple(otherParts, fc.constantFrom([], [secondFile]))
          .map(([others, second]) => [...others, ...second]),
        disposition: dispositions,
        headers: extraHeaders,
        epilogue: fc.constantFrom("", "\r\n", "\r\nepilogue", "--"),
        type: fc.constantFrom("multipart/form-data; boundary=", "Multipart/Form-Data;charset=utf-8; Boundary="),
      })
      .map(({ content, before, after, disposition, headers, epilogue, type }) => {
        const part = (text: string) => `--${boundary}\r\n${text}\r\n`
        return {
          contentType: `${type}"${boundary}"`,
          content,
          body: Buffer.concat([
            Buffer.from(
              `${before.map(part).join("")}--${boundary}\r\n${[disposition, ...headers].join("\r\n")}\r\n\r\n`,
            ),
            content,
            Buffer.from(`\r\n${after.map(part).join("")}--${boundary}--${epilogue}`),
          ]),
        }
      }),
  )

const sha256 = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

/**
 * Sends a form for a file that is `content`: whatever is answered, what is stored of it is a beginning of `content`.
 * Nobody could tell from the outside, so the rest is sent raw, and the whole has to have the right hash.
 */
const send = async (
  ingest: (typeof ingests)[number],
  { contentType, content }: Form,
  pieces: ReadonlyArray<Uint8Array>,
): Promise<number> => {
  const grant = createGrant({ size: content.length, type: "application/octet-stream" })
  const response = await putTo(ingest, grant, 0, pieces, contentType)
  const { status } = response
  if (status === 200) {
    expect((await response.json()).fileHash).toBe(sha256(content))
    return status
  }
  expect(status).toBeGreaterThanOrEqual(400)
  expect(status).toBeLessThan(500)
  const head = await ingest.fetch(new Request(await sign(url, grant), { method: "HEAD" }))
  const offset = Number(head.headers.get(names.header.rangeStart))
  expect(offset).toBeLessThanOrEqual(content.length)
  const rest = await putTo(ingest, grant, offset, [content.subarray(offset)], "application/octet-stream")
  expect(rest.status).toBe(200)
  expect((await rest.json()).fileHash).toBe(sha256(content))
  return status
}

describe("a form", () => {
  const places = fc.array(fc.nat(), { maxLength: 10 })

  it("of any boundary, with other parts and headers, cut anywhere, is its part file", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ingests), forms, places, async (ingest, form, at) => {
        expect(await send(ingest, form, cut(form.body, at))).toBe(200)
      }),
      { numRuns: 400 },
    )
  })

  it("that is cut short stores nothing but a beginning of its part", async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...ingests), forms, fc.nat(), places, async (ingest, form, length, at) => {
        const body = form.body.subarray(0, length % form.body.length)
        await send(ingest, form, cut(body, at))
      }),
      { numRuns: 600 },
    )
  })

  it("that is cut short at any byte, every byte alone, stores nothing but a beginning of its part", async () => {
    const content = new TextEncoder().encode("a\r\n--\r\n--b\r\r\n-")
    const body = Buffer.concat([
      Buffer.from(`--bound\r\nContent-Disposition: form-data; name="file"\r\n\r\n`),
      content,
      Buffer.from("\r\n--bound--\r\n"),
    ])
    const form = { contentType: "multipart/form-data; boundary=bound", content, body }
    for (let length = 0; length < body.length; length++) {
      const sent = body.subarray(0, length)
      for (const ingest of ingests) await send(ingest, form, cut(sent, [...sent.keys()]))
    }
  })

  it("with anything broken in its headers is read right or refused", async () => {
    const broken = fc.constantFrom(
      `Content-Disposition: form-data; name="file"\r\nContent-Disposition: form-data; name="other"`,
      `Content-Disposition: form-data; name="other"\r\nContent-Disposition: form-data; name="file"`,
      `Content-Disposition: form-data; name="file"; name="other"`,
      `Content-Disposition: form-data; name="file\0"`,
      `Content-Disposition: form-data;\r\n name="file"`,
      `Content-Disposition: form-data; name="file`,
      `Content-Disposition: attachment; name="file"`,
      `X: ${"y".repeat(100_000)}\r\nContent-Disposition: form-data; name="file"`,
      `${"X: y\r\n".repeat(5000)}Content-Disposition: form-data; name="file"`,
      `: empty\r\nContent-Disposition: form-data; name="file"`,
      `Content-Disposition form-data; name="file"`,
      "",
    )
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...ingests),
        broken,
        contents("b"),
        places,
        async (ingest, headers, content, at) => {
          const body = Buffer.concat([Buffer.from(`--b\r\n${headers}\r\n\r\n`), content, Buffer.from("\r\n--b--")])
          await send(ingest, { contentType: "multipart/form-data; boundary=b", content, body }, cut(body, at))
        },
      ),
      { numRuns: 200 },
    )
  })

  it("of random bytes is refused", async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 500 }), places, async (bytes, at) => {
        const form = { contentType: "multipart/form-data; boundary=b", content: bytes, body: bytes }
        if (bytes.length > 0) expect(await send(ingests[0]!, form, cut(bytes, at))).toBeLessThan(500)
      }),
    )
  })

  it.each(["\r", "\r\n", "\r\n--", "\r\n--boundar", "-", "--boundary"])(
    "of %j over and over comes in as few pieces as any other, four times as many for four times as much",
    async (pattern) => {
      const chunk = 64 * 1024
      const count = async (chunks: number): Promise<number> => {
        const content = Buffer.from(pattern.repeat(Math.ceil((chunks * chunk) / pattern.length)))
        const body = Buffer.concat([
          Buffer.from(`--boundary\r\nContent-Disposition: form-data; name="file"\r\n\r\nx`),
          content,
          Buffer.from("\r\n--boundary--"),
        ])
        const pieces = Array.from({ length: Math.ceil(body.length / chunk) }, (_, index) =>
          body.subarray(index * chunk, (index + 1) * chunk),
        )
        const request = new Request(url, {
          method: "PUT",
          body: toStream(pieces),
          headers: { "content-type": "multipart/form-data; boundary=boundary" },
          duplex: "half",
        } as RequestInit)
        let found = 0
        for await (const _piece of readUploadBody(request, { signal: new AbortController().signal })) found++
        return found
      }
      const [few, many] = [await count(4), await count(16)]
      expect(many).toBeLessThanOrEqual(4 * few)
      expect(many).toBeLessThanOrEqual(16 * 4)
    },
  )
})
