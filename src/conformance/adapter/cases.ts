import { once } from "node:events"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { toNodeListener } from "../../../adapters/node.ts"
import { generateUploader } from "../../client.ts"
import { names, type PresignedUpload } from "../../protocol.ts"
import { expect } from "../expect.ts"
import type { RecordingIngest } from "./recording-ingest.ts"
import { callBack, distort, registrationOf, sign, toCallbackBody, upload } from "./requests.ts"
import type { RunningApp } from "./running-app.ts"
import { probeHeader, reportHeader, type TestRouter } from "./test-router.ts"

const probeUrlOf = ({ probeUrl }: RunningApp): string => {
  if (probeUrl !== undefined) return probeUrl
  throw new Error("The app has no `probeUrl`. Mount `probe` and say where, or leave this case out with a reason.")
}

/**
 * What every adapter promises, case by case.
 *
 * @param check takes a case
 */
export const describeAdapterCases = (
  check: (title: string, run: () => Promise<void>) => void,
  app: () => RunningApp,
  ingest: () => RecordingIngest,
): void => {
  check("GET describes the routes", async () => {
    const response = await fetch(app().url)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject([{ slug: "note" }, { slug: "refused" }, { slug: "patient" }])
  })

  check("an upload is answered with signed URLs", async () => {
    const response = await upload(app().url, "note")
    expect(response.status).toBe(200)
    const [presigned] = (await response.json()) as Array<PresignedUpload>
    expect(presigned).toMatchObject({ name: "ünï.txt", customId: null })
    expect(presigned!.url.startsWith(`${ingest().url}/${presigned!.key}?`)).toBe(true)
  })

  check("the callback URL is the request's own, mount prefix included", async () => {
    const { callbackUrl } = await registrationOf(ingest(), await upload(app().url, "note"))
    expect(callbackUrl).toBe(app().url)
  })

  check("middleware gets the framework's own request", async () => {
    const { metadata } = await registrationOf(
      ingest(),
      await upload(app().url, "note", { headers: { [probeHeader]: "here" } }),
    )
    expect(metadata).toEqual({ probe: "here" })
  })

  check("an UploadError keeps its code, status and message", async () => {
    const response = await upload(app().url, "refused")
    expect([response.status, response.headers.get("content-type")]).toEqual([402, "application/problem+json"])
    expect(await response.json()).toMatchObject({ code: "QUOTA_EXCEEDED", detail: "Pay 5 € first." })
  })

  check("a callback is verified over the bytes that were sent", async () => {
    const body = distort(toCallbackBody(ingest()))
    const response = await callBack(app().url, body)
    expect([response.status, await response.json()]).toEqual([200, { ok: true }])
    expect(ingest().results.at(-1)).toMatchObject({
      callbackData: { name: "€ 😀 ü.txt", metadata: { probe: "über" } },
    })
    const rewritten = await callBack(app().url, JSON.stringify(JSON.parse(body)), body)
    expect(await rewritten.json()).toMatchObject({ code: "INVALID_SIGNATURE" })
  })

  check("onUploadComplete gets the framework's own request", async () => {
    await callBack(app().url, toCallbackBody(ingest()))
    expect(ingest().results.at(-1)).toMatchObject({ callbackData: { probe: "callback" } })
  })

  check("a body whose characters are split over packets arrives whole", async () => {
    const body = Buffer.from(toCallbackBody(ingest()))
    const { hostname, port, pathname, host } = new URL(app().url)
    const socket = connect(Number(port), hostname).setNoDelay(true)
    await once(socket, "connect")
    socket.write(
      [
        `POST ${pathname}?${names.action.slug}=note HTTP/1.1`,
        `host: ${host}`,
        "content-type: application/json",
        `${names.header.hook}: callback`,
        `${names.header.signature}: ${await sign(body)}`,
        `content-length: ${body.length}`,
        "connection: close\r\n\r\n",
      ].join("\r\n"),
    )
    // Between the bytes of the emoji.
    const middle = body.indexOf(Buffer.from("😀")) + 2
    for (const part of [body.subarray(0, middle), body.subarray(middle, middle + 1), body.subarray(middle + 1)]) {
      await new Promise((resolve) => socket.write(part, resolve))
      await new Promise((resolve) => setImmediate(resolve))
    }
    let answer = ""
    for await (const chunk of socket.setEncoding("utf8")) answer += chunk
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
    expect(ingest().results.at(-1)).toMatchObject({ callbackData: { name: "€ 😀 ü.txt" } })
  })

  check("behind a body parser it works or names the fix", async () => {
    expect(app().parsers?.length).toBeGreaterThan(0)
    for (const { name, url, callback } of app().parsers ?? []) {
      const response = await upload(url, "note")
      expect([name, response.status, await response.json()]).toMatchObject([name, 200, [{ name: "ünï.txt" }]])
      const called = await callBack(url, distort(toCallbackBody(ingest())))
      expect([name, called.status, await called.json()]).toMatchObject(
        callback === "works"
          ? [name, 200, { ok: true }]
          : [
              name,
              500,
              {
                code: "INVALID_CONFIG",
                detail: expect.stringMatching(
                  callback === "hidden" ? /server's log says more/ : /Mount Sluice before|bodyParser: false/,
                ),
              },
            ],
      )
    }
  })

  check("a body that is too large is refused while it is still coming", async () => {
    const response = await upload(app().url, "note", { body: "x".repeat(20_000_000) })
    expect([response.status, await response.json()]).toMatchObject([413, { code: "BAD_REQUEST" }])
  })

  check("an unknown route is a 404 problem", async () => {
    const response = await upload(app().url, "__proto__")
    expect([response.status, await response.json()]).toMatchObject([404, { code: "ROUTE_NOT_FOUND" }])
  })

  check("another method is a 405 problem", async () => {
    const response = await fetch(app().url, { method: "PUT", body: "x" })
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, POST"])
    expect(await response.json()).toMatchObject({ code: "METHOD_NOT_ALLOWED" })
  })

  check("several cookies stay several", async () => {
    const response = await fetch(probeUrlOf(app()))
    expect(response.headers.getSetCookie().map((cookie) => cookie.split(";")[0])).toEqual(["a=1", "b=2"])
  })

  check("a streamed answer arrives in pieces", async () => {
    const response = await fetch(`${probeUrlOf(app())}?stream`)
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toBe("one")
    await fetch(`${probeUrlOf(app())}?release`)
    expect((await reader.read()).value).toBe("two")
    expect((await reader.read()).done).toBe(true)
  })

  check("the signal aborts when the client leaves", async () => {
    const begun = Promise.withResolvers<void>()
    const aborted = Promise.withResolvers<void>()
    const reports = createServer(
      toNodeListener((request) => {
        if (request.url.endsWith("/begun")) begun.resolve()
        else aborted.resolve()
        return new Response()
      }),
    ).listen(0, "127.0.0.1")
    await once(reports, "listening")
    const controller = new AbortController()
    const answer = upload(app().url, "patient", {
      headers: { [reportHeader]: `http://127.0.0.1:${(reports.address() as AddressInfo).port}` },
      signal: controller.signal,
    })
    await begun.promise
    controller.abort()
    expect(
      await answer.then(
        () => "answered",
        () => "aborted",
      ),
    ).toBe("aborted")
    await aborted.promise
    reports.closeAllConnections()
    reports.close()
  })

  check("the whole circle: client, app, ingest, callback, and back at the client", async () => {
    const uploader = generateUploader<TestRouter>({ url: app().url, headers: { [probeHeader]: "circle" } })
    const content = new Uint8Array(3_000_000).map((_, i) => i % 251)
    const files = [new File([content], "grün.bin"), new File(["zwei"], "zwei.txt", { type: "text/plain" })]
    const outcomes = await uploader.uploadFiles("note", { files })
    expect(outcomes).toMatchObject([
      { status: "done", serverData: { name: "grün.bin", metadata: { probe: "circle" } } },
      { status: "done", serverData: { name: "zwei.txt", metadata: { probe: "circle" } } },
    ])
    for (const [i, outcome] of outcomes.entries()) {
      if (outcome.status !== "done") continue
      const bytes = await files[i]!.arrayBuffer()
      const hash = Buffer.from(await crypto.subtle.digest("SHA-256", bytes)).toString("hex")
      expect([outcome.fileHash, outcome.serverData.hash]).toEqual([hash, hash])
      expect(new Uint8Array(await (await fetch(outcome.url)).arrayBuffer())).toEqual(new Uint8Array(bytes))
    }
  })
}
