import {
  type CallbackResult,
  createSigner,
  isKeyOf,
  names,
  type PresignedUpload,
  type Registration,
  verifyUploadUrl,
} from "../../../src/protocol.ts"
import { createRouteHandler } from "../../../src/server.ts"
import { apiKey, appUrl, createNetwork, encodedAppId, ingestUrl, router, signer, token, uploadRequest } from "./app.ts"
import { expectMatch, expectProblem, type Suite } from "./suite.ts"

/** The handler, and what it sends to an ingest that agrees with everything. */
const createApp = (options: { isDev?: boolean; stream?: ReadableStream<Uint8Array> } = {}) => {
  const registrations: Array<Registration> = []
  const results: Array<CallbackResult> = []
  const callbacks: Array<Promise<Response>> = []
  const work: Array<Promise<unknown>> = []
  const network = createNetwork({
    "ingest.test": async (request) => {
      expectMatch(request.headers.get(names.header.apiKey), apiKey)
      const { pathname } = new URL(request.url)
      if (pathname === `/${names.path.registrations}`) {
        const { files } = (await request.json()) as { readonly files: ReadonlyArray<object> }
        return Response.json({ registrations: [{ metadata: registrations[0]?.metadata }], files: files.map(() => 0) })
      }
      const isResult = pathname === `/${names.path.callbackResult}`
      if (isResult) results.push((await request.json()) as CallbackResult)
      else registrations.push((await request.json()) as Registration)
      return isResult || options.stream === undefined ? Response.json({ ok: true }) : new Response(options.stream)
    },
    "app.test": async (request) => {
      const answer = handle(request)
      callbacks.push(answer)
      return (await answer).clone()
    },
  })
  const handle = createRouteHandler({
    router,
    token,
    ingestUrl,
    fetch: network,
    isDev: options.isDev ?? false,
    allowedHosts: "app.test",
    logLevel: "None",
    waitUntil: (promise) => void work.push(promise),
  })
  return { handle, registrations, results, callbacks, work }
}

const note = { name: "ünï.txt", size: 3, type: "text/plain" }

const event = (fields: object = {}): string =>
  JSON.stringify({
    id: "evt_1",
    sentAt: Date.now(),
    attempt: 1,
    status: "uploaded",
    origin: ingestUrl,
    slug: "note",
    metadata: { user: "über" },
    file: {
      key: `${encodedAppId}abc`,
      name: "€ 😀 ü.txt",
      size: 3,
      type: "text/plain",
      customId: null,
      url: `${ingestUrl}/f/${encodedAppId}abc`,
      fileHash: "0".repeat(64),
      uploadedAt: Date.now(),
    },
    ...fields,
  })

const callback = (body: string, signature: string): Request =>
  new Request(`${appUrl}?${names.action.slug}=note`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      [names.header.hook]: "callback",
      [names.header.signature]: signature,
    },
    body,
  })

export const routeHandler: Suite = {
  "GET describes the routes": async () => {
    const response = await createApp().handle(new Request(appUrl))
    expectMatch(
      [response.status, await response.json()],
      [
        200,
        [
          { slug: "note", config: { blob: { maxFileSize: "32MB", maxFileCount: 4 } } },
          { slug: "secret" },
          { slug: "avatar" },
          { slug: "refused" },
        ],
      ],
    )
  },

  "an upload is registered and answered with signed URLs": async () => {
    const { handle, registrations, work } = createApp()
    const response = await handle(uploadRequest("note", [note, { ...note, name: "zwei" }]))
    expectMatch(response.status, 200)
    const uploads = (await response.json()) as Array<PresignedUpload>
    expectMatch(uploads, [{ name: "ünï.txt", customId: null }, { name: "zwei" }])
    for (const { key, url, name } of uploads) {
      expectMatch([isKeyOf(key, encodedAppId), url.startsWith(`${ingestUrl}/${key}?`)], [true, true])
      const verified = await verifyUploadUrl(url, signer, { now: Date.now() })
      expectMatch(verified, { ok: true, value: { key, name, size: 3, slug: "note" } })
    }
    await Promise.all(work)
    expectMatch(registrations, [
      {
        fileKeys: uploads.map(({ key }) => key),
        metadata: { user: "ünï" },
        callbackUrl: appUrl,
        callbackSlug: "note",
        awaitServerData: true,
      },
    ])
  },

  "URLs are renewed for whoever has signed ones, and for nobody else": async () => {
    const { handle, registrations, work } = createApp()
    const [upload] = (await (await handle(uploadRequest("note", [note]))).json()) as [PresignedUpload]
    await Promise.all(work)
    const renew = (url: string) =>
      handle(
        new Request(`${appUrl}?${names.action.type}=${names.action.renew}&${names.action.slug}=note`, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ urls: [url] }),
        }),
      )
    expectMatch(await (await renew(upload.url)).json(), [{ key: upload.key }])
    await Promise.all(work)
    expectMatch(registrations[1]?.metadata, registrations[0]?.metadata)
    await expectProblem(await renew(upload.url.replace("size=3", "size=4")), 403, "INVALID_SIGNATURE")
  },

  "limits are kept": async () => {
    const { handle, registrations } = createApp()
    const png = { name: "a.png", size: 10, type: "image/png" }
    await expectProblem(await handle(uploadRequest("avatar", [{ ...png, size: 2000 }])), 413, "FILE_TOO_LARGE")
    await expectProblem(await handle(uploadRequest("avatar", [note])), 415, "FILE_TYPE_NOT_ALLOWED")
    await expectProblem(await handle(uploadRequest("avatar", [png, png, png])), 400, "TOO_MANY_FILES")
    await expectProblem(await handle(uploadRequest("avatar", [])), 400, "BAD_REQUEST")
    expectMatch(registrations, [])
  },

  "a thrown UploadError keeps its code, status and message": async () => {
    const response = await createApp().handle(uploadRequest("refused", [note]))
    expectMatch((await response.clone().json()) as object, { detail: "Pay 5 € first." })
    await expectProblem(response, 402, "QUOTA_EXCEEDED")
  },

  "a callback is verified over the bytes that were sent, and its result posted": async () => {
    const { handle, results } = createApp()
    const body = `\n ${event().replaceAll('":', '" :\r\n\t').replaceAll("ü", "\\u00fc")}`
    const response = await handle(callback(body, await signer.sign(body)))
    expectMatch([response.status, await response.json()], [200, { ok: true }])
    expectMatch(results, [{ fileKey: `${encodedAppId}abc`, callbackData: { name: "€ 😀 ü.txt", user: "über" } }])
  },

  "a callback that was tampered with, replayed or sent by another ingest is refused": async () => {
    const { handle, results } = createApp()
    const body = event()
    const signature = await signer.sign(body)
    await expectProblem(await handle(callback(body.replace("über", "uber"), signature)), 403, "INVALID_SIGNATURE")
    await expectProblem(await handle(callback(body, "")), 403, "INVALID_SIGNATURE")
    await expectProblem(await handle(callback(body, signature.slice(12))), 403, "INVALID_SIGNATURE")
    for (const fields of [{ sentAt: Date.now() - 600_000 }, { origin: "http://other.test" }]) {
      const other = event(fields)
      await expectProblem(await handle(callback(other, await signer.sign(other))), 403, "FORBIDDEN")
    }
    expectMatch(results, [])
  },

  "one of several signatures is enough while a key is replaced": async () => {
    const { handle } = createApp()
    const body = event()
    const [own, other] = [await signer.sign(body), await createSigner("sk_other").sign(body)]
    expectMatch((await handle(callback(body, `${other}, ${own}`))).status, 200)
    await expectProblem(await handle(callback(body, `${other}, ${other}`)), 403, "INVALID_SIGNATURE")
  },

  "a body that is too large is refused": async () => {
    const { handle } = createApp()
    const large = uploadRequest("note", [{ ...note, name: "x".repeat(2_000_000) }])
    await expectProblem(await handle(large), 413, "BAD_REQUEST")
  },

  "what no protocol knows is a problem": async () => {
    const { handle } = createApp()
    await expectProblem(await handle(uploadRequest("__proto__", [note])), 404, "ROUTE_NOT_FOUND")
    await expectProblem(await handle(uploadRequest("note", [note], "steal")), 400, "BAD_REQUEST")
    const put = await handle(new Request(appUrl, { method: "PUT", body: "x" }))
    expectMatch(put.headers.get("allow"), "GET, POST")
    await expectProblem(put, 405, "METHOD_NOT_ALLOWED")
    const garbage = new Request(uploadRequest("note", [note]).url, { method: "POST", body: "{" })
    await expectProblem(await handle(garbage), 400, "BAD_REQUEST")
  },

  "in development callbacks come over the stream": async () => {
    const payload = event()
    const line = JSON.stringify({ payload, signature: await signer.sign(payload), hook: "callback" })
    const bytes = new TextEncoder().encode(`\n${line}\n\n`)
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        // Split within a line, and within a character.
        for (let i = 0; i < bytes.length; i += 7) controller.enqueue(bytes.slice(i, i + 7))
        controller.close()
      },
    })
    const { handle, callbacks, work, registrations, results } = createApp({ isDev: true, stream })
    expectMatch((await handle(uploadRequest("note", [note]))).status, 200)
    await Promise.all(work)
    for (let i = 0; i < 200 && callbacks.length === 0; i++) await new Promise((resolve) => setTimeout(resolve, 5))
    expectMatch([callbacks.length, (await callbacks[0])?.status], [1, 200])
    expectMatch(registrations, [{ isDev: true }])
    expectMatch(results, [{ callbackData: { name: "€ 😀 ü.txt" } }])
  },
}
