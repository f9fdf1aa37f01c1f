import { createIngest, createMemoryBlobStore, createMemoryCatalog } from "../../../src/ingest.ts"
import {
  createFileKey,
  formatUploadRange,
  names,
  type PresignedUpload,
  signUploadUrl,
  type UploadGrant,
} from "../../../src/protocol.ts"
import { createRouteHandler } from "../../../src/server.ts"
import {
  apiKey,
  appId,
  appUrl,
  createContent,
  createNetwork,
  encodedAppId,
  type Handle,
  ingestUrl,
  router,
  sha256,
  signer,
  token,
  uploadRequest,
} from "./app.ts"
import { expectMatch, expectProblem, type Suite } from "./suite.ts"

/** The app and the ingest, and between them a network of their own. */
export const withIngest = async (
  test: (both: { readonly fetch: typeof fetch; readonly app: Handle; readonly ingest: Handle }) => Promise<void>,
): Promise<void> => {
  const network = createNetwork({
    "ingest.test": (request) => ingest.fetch(request),
    "app.test": (request) => app(request),
  })
  const app = createRouteHandler({
    router,
    token,
    ingestUrl,
    fetch: network,
    isDev: false,
    callbackUrl: appUrl,
    logLevel: "None",
  })
  const ingest = createIngest({
    token,
    url: ingestUrl,
    store: createMemoryBlobStore(),
    catalog: createMemoryCatalog(),
    fetch: network,
    logLevel: "None",
  })
  try {
    await test({ fetch: network, app, ingest: ingest.fetch })
  } finally {
    await ingest.close()
  }
}

const toUrl = async (grant: Partial<UploadGrant> = {}): Promise<string> =>
  signUploadUrl(
    ingestUrl,
    {
      key: createFileKey(encodedAppId),
      appId,
      expires: Date.now() + 60_000,
      name: "hello.txt",
      size: 5,
      type: "text/plain",
      ...grant,
    },
    signer,
  )

const put = (url: string, body: BodyInit | null, start = 0, headers: Record<string, string> = {}): Request =>
  new Request(url, {
    method: "PUT",
    body,
    headers: {
      range: formatUploadRange(start),
      ...(body instanceof FormData ? undefined : { "content-type": "application/octet-stream" }),
      ...headers,
    },
  })

const offsetOf = async (ingest: Handle, url: string): Promise<number> => {
  const response = await ingest(new Request(url, { method: "HEAD" }))
  expectMatch(response.status, 200)
  return Number(response.headers.get(names.header.rangeStart))
}

const operate = (operation: string, body: object, key = apiKey): Request =>
  new Request(`${ingestUrl}/v6/${operation}`, {
    method: "POST",
    headers: { "content-type": "application/json", [names.header.apiKey]: key },
    body: JSON.stringify(body),
  })

/** Far more than is kept in the catalog. */
const large = createContent(3_000_000)

export const ingest: Suite = {
  "a small file is stored whole": () =>
    withIngest(async ({ ingest }) => {
      const url = await toUrl()
      expectMatch(await offsetOf(ingest, url), 0)
      const response = await ingest(put(url, "hello"))
      const fileHash = await sha256(new TextEncoder().encode("hello"))
      expectMatch(
        [response.status, await response.json()],
        [200, { name: "hello.txt", size: 5, type: "text/plain", fileHash, customId: null, serverData: null }],
      )
      expectMatch(await offsetOf(ingest, url), 5)
    }),

  "a large file is stored in pieces": () =>
    withIngest(async ({ ingest }) => {
      const url = await toUrl({ size: large.length, type: "application/octet-stream", name: "large.bin" })
      const first = await ingest(put(url, large.slice(0, 1_000_001)))
      expectMatch(first.headers.get(names.header.rangeStart), "1000001")
      await expectProblem(first, 409, "RANGE_MISMATCH")
      expectMatch(await offsetOf(ingest, url), 1_000_001)
      await expectProblem(await ingest(put(url, large.slice(0, 9), 9)), 409, "RANGE_MISMATCH")
      const second = await ingest(put(url, large.slice(1_000_001), 1_000_001))
      const stored = (await second.json()) as { url: string; fileHash: string }
      expectMatch([second.status, stored.fileHash], [200, await sha256(large)])
      const read = await ingest(new Request(stored.url))
      expectMatch(await sha256(new Uint8Array(await read.arrayBuffer())), await sha256(large))
    }),

  "a form is taken apart": () =>
    withIngest(async ({ ingest }) => {
      const url = await toUrl({ size: large.length, type: "application/octet-stream" })
      const form = new FormData()
      form.set("file", new Blob([large]), "ignored.bin")
      const response = await ingest(put(url, form))
      expectMatch([response.status, await response.json()], [200, { fileHash: await sha256(large) }])
    }),

  "a body that breaks off leaves what has come": () =>
    withIngest(async ({ ingest }) => {
      const url = await toUrl({ size: large.length, type: "application/octet-stream" })
      let sent = false
      const body = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          if (sent) controller.error(new Error("broken"))
          else controller.enqueue(large.slice(0, 700_000))
          sent = true
        },
      })
      const init = { method: "PUT", body, duplex: "half", headers: { "content-type": "application/octet-stream" } }
      await expectProblem(await ingest(new Request(url, init)), 409, "RANGE_MISMATCH")
      expectMatch(await offsetOf(ingest, url), 700_000)
      expectMatch((await ingest(put(url, large.slice(700_000), 700_000))).status, 200)
    }),

  "what is not signed, has expired or is not what was announced is refused": () =>
    withIngest(async ({ ingest }) => {
      const url = await toUrl()
      await expectProblem(await ingest(put(url.replace("size=5", "size=6"), "hello!")), 403, "INVALID_SIGNATURE")
      await expectProblem(await ingest(put(await toUrl({ expires: Date.now() - 1 }), "hello")), 403, "EXPIRED_URL")
      await expectProblem(await ingest(put(url, "hello, world")), 413, "SIZE_MISMATCH")
      const program = new Uint8Array(5000)
      program.set([0x7f, 0x45, 0x4c, 0x46, 2, 1, 1])
      const lie = await toUrl({ size: program.length, type: "image/png", name: "a.png" })
      await expectProblem(await ingest(put(lie, program)), 415, "CONTENT_MISMATCH")
    }),

  "digests are checked": () =>
    withIngest(async ({ ingest }) => {
      const digest = async (bytes: Uint8Array<ArrayBuffer>) =>
        `sha-256=:${btoa(String.fromCharCode(...new Uint8Array(await crypto.subtle.digest("SHA-256", bytes))))}:`
      const right = await digest(large)
      const wrong = await digest(large.slice(1))
      for (const name of ["content-digest", "repr-digest"]) {
        const url = await toUrl({ size: large.length, type: "application/octet-stream" })
        await expectProblem(await ingest(put(url, large, 0, { [name]: wrong })), 422, "DIGEST_MISMATCH")
        const other = await toUrl({ size: large.length, type: "application/octet-stream" })
        expectMatch((await ingest(put(other, large, 0, { [name]: right }))).status, 200)
      }
    }),

  "the app's answer comes back with the upload": () =>
    withIngest(async ({ app, ingest }) => {
      for (const content of [new TextEncoder().encode("hallo"), large]) {
        const files = [{ name: "grün.bin", size: content.length, type: "application/octet-stream" }]
        const [upload] = (await (await app(uploadRequest("note", files))).json()) as [PresignedUpload]
        const response = await ingest(put(upload.url, content))
        const hash = await sha256(content)
        expectMatch(
          [response.status, await response.json()],
          [200, { key: upload.key, fileHash: hash, serverData: { name: "grün.bin", hash, user: "ünï" } }],
        )
      }
    }),

  "files are read, whole and in part": () =>
    withIngest(async ({ ingest }) => {
      const url = await toUrl({ size: large.length, type: "application/octet-stream", name: "ü.bin" })
      const stored = (await (await ingest(put(url, large))).json()) as { url: string }
      const part = await ingest(new Request(stored.url, { headers: { range: "bytes=999999-2000000" } }))
      expectMatch([part.status, part.headers.get("content-range")], [206, "bytes 999999-2000000/3000000"])
      const bytes = new Uint8Array(await part.arrayBuffer())
      expectMatch(await sha256(bytes), await sha256(large.slice(999_999, 2_000_001)))
      const head = await ingest(new Request(stored.url, { method: "HEAD" }))
      expectMatch([head.status, head.headers.get("content-length")], [200, "3000000"])
      const etag = head.headers.get("etag")!
      const again = await ingest(new Request(stored.url, { headers: { "if-none-match": etag } }))
      expectMatch([again.status, await again.text()], [304, ""])
    }),

  "a private file is read by signed URLs alone": () =>
    withIngest(async ({ ingest }) => {
      const url = await toUrl({ acl: "private" })
      const stored = (await (await ingest(put(url, "hello"))).json()) as { url: string; key: string }
      await expectProblem(await ingest(new Request(stored.url)), 403, "FORBIDDEN")
      const answer = await ingest(operate("requestFileAccess", { fileKey: stored.key }))
      const access = (await answer.json()) as { url: string }
      expectMatch(await (await ingest(new Request(access.url))).text(), "hello")
      await expectProblem(await ingest(new Request(access.url.replace(/expires=\d/, "expires=9"))), 403, "FORBIDDEN")
    }),

  "the REST API lists, renames and deletes for those who have the key": () =>
    withIngest(async ({ ingest }) => {
      const stored = (await (await ingest(put(await toUrl(), "hello"))).json()) as { url: string; key: string }
      await expectProblem(await ingest(operate("listFiles", {}, `${apiKey}x`)), 401, "UNAUTHORIZED")
      const call = async (operation: string, body: object) => (await ingest(operate(operation, body))).json()
      expectMatch(await call("listFiles", {}), { hasMore: false, files: [{ key: stored.key, status: "Uploaded" }] })
      const updates = [{ fileKey: stored.key, newName: "b.txt" }]
      expectMatch(await call("renameFiles", { updates }), { renamedCount: 1 })
      expectMatch(await call("getUsageInfo", {}), { totalBytes: 5, filesUploaded: 1 })
      expectMatch(await call("deleteFiles", { fileKeys: [stored.key] }), { deletedCount: 1 })
      await expectProblem(await ingest(new Request(stored.url)), 404, "NOT_FOUND")
    }),

  "pages of other origins may upload": () =>
    withIngest(async ({ ingest }) => {
      const url = await toUrl()
      const preflight = await ingest(new Request(url, { method: "OPTIONS", headers: { origin: "http://page.test" } }))
      expectMatch([preflight.status, preflight.headers.get("access-control-allow-origin")], [204, "*"])
    }),
}
