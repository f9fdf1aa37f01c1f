import { createHash } from "node:crypto"
import { once } from "node:events"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:http"
import { type AddressInfo, connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { BrowserContext } from "playwright-core"
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest"
import { toNodeListener } from "../../adapters/node.ts"
import { generateUploader } from "../../src/client.ts"
import {
  type CallbackEvent,
  createSigner,
  encodeToken,
  names,
  type PresignedUpload,
  type Registration,
} from "../../src/protocol.ts"
import { startRecordingIngest } from "../adapters/apps/recording-ingest.ts"
import { launchProfile } from "../browser/chromium.ts"
import { type DrivenUploadPage, driveUploadPage } from "../browser/drive-upload-page.ts"
import { keepRecord } from "./adapter-record.ts"
import { probeHeader, reportHeader, type TestRouter } from "../adapters/apps/test-router.ts"

/** What an app is told; by options or by the environment. */
export interface AppConfiguration {
  readonly token: string
  readonly ingestUrl: string
}

/** An app of the real framework, listening on a real socket. */
export interface RunningApp {
  /** Where `createRouteHandler({ router })` of `createTestRouter` answers: below a mount prefix or base path. */
  readonly url: string
  /** Where `probe` answers. */
  readonly probeUrl: string
  /** Where the page of `createUploadPage` is served. */
  readonly pageUrl: string
  /** How the application was built and started, for the table of frameworks. */
  readonly runs: string
  /** The handler once more, behind what reads bodies in this framework. */
  readonly parsers?: ReadonlyArray<{
    readonly name: string
    readonly url: string
    /** `hidden`: refused by an app in production, whose log alone names the fix. */
    readonly callback: "works" | "refused" | "hidden"
  }>
  readonly close: () => Promise<void>
}

/** A test that makes no sense for a framework, and why. */
export interface Skip {
  readonly test: string
  readonly reason: string
}

const apiKey = "sk_adapter_suite"
const appId = "adapters"
const signer = createSigner(apiKey)

const json = { "content-type": "application/json" }

const upload = (url: string, slug: string, init: RequestInit & { headers?: Record<string, string> } = {}) =>
  fetch(`${url}?${names.action.type}=${names.action.upload}&${names.action.slug}=${slug}`, {
    method: "POST",
    body: JSON.stringify({ files: [{ name: "ünï.txt", size: 3, type: "text/plain" }] }),
    ...init,
    headers: { ...json, ...init.headers },
  })

/** Odd whitespace and escapes: JSON that no serializer writes. */
const distort = (text: string): string =>
  `\n\t ${text.replaceAll('":', '" :\r\n\t').replaceAll("ü", "\\u00fc").replaceAll("/", "\\/")} \n`

const newOutcomes = (): { passed: number; failed: number; skipped: Array<Skip> } => ({
  passed: 0,
  failed: 0,
  skipped: [],
})

/** Holds for an adapter of any framework. */
export const describeAdapter = (
  name: string,
  start: (configuration: AppConfiguration) => Promise<RunningApp>,
  skips: ReadonlyArray<Skip> = [],
): void => {
  describe(`the adapter of ${name}`, () => {
    let app: RunningApp
    let ingest: Awaited<ReturnType<typeof startRecordingIngest>>

    beforeAll(async () => {
      ingest = await startRecordingIngest(apiKey, appId)
      const token = encodeToken({ apiKey, appId, regions: ["local"] })
      app = await start({ token, ingestUrl: ingest.url })
    }, 180_000)
    afterAll(async () => {
      await app?.close()
      await ingest?.close()
    })

    const outcomes = { suite: newOutcomes(), browser: newOutcomes() }
    afterAll(() => keepRecord({ framework: name, app: app?.runs ?? "did not start", ...outcomes }))

    const titles = new Set<string>()
    const check = (title: string, run: () => Promise<void>, kind: keyof typeof outcomes = "suite"): void => {
      titles.add(title)
      const skip = skips.find((candidate) => candidate.test === title)
      test(title, async (context) => {
        if (skip !== undefined) {
          outcomes[kind].skipped.push(skip)
          context.skip(skip.reason)
        }
        outcomes[kind].failed++
        await run()
        outcomes[kind].failed--
        outcomes[kind].passed++
      })
    }

    const callbackBody = (): string =>
      JSON.stringify({
        id: "evt_1",
        sentAt: Date.now(),
        attempt: 1,
        status: "uploaded",
        origin: ingest.url,
        slug: "note",
        metadata: { probe: "über" },
        file: {
          key: ingest.inventKey(),
          name: "€ 😀 ü.txt",
          size: 3,
          type: "text/plain",
          customId: null,
          url: `${ingest.url}/f/x`,
          fileHash: "0".repeat(64),
          uploadedAt: Date.now(),
        },
      } satisfies CallbackEvent)

    const callBack = async (url: string, body: string, signed = body): Promise<Response> =>
      fetch(`${url}?${names.action.slug}=note`, {
        method: "POST",
        headers: {
          ...json,
          [names.header.hook]: "callback",
          [names.header.signature]: await signer.sign(signed),
          [probeHeader]: "callback",
        },
        body,
      })

    /** Of the upload that was answered so; where there is a `waitUntil` it comes after the answer. */
    const registrationOf = async (response: Response): Promise<Registration> => {
      const [{ key }] = (await response.json()) as [PresignedUpload]
      return vi.waitFor(
        () => {
          const found = ingest.registrations.find(({ fileKeys }) => fileKeys.includes(key))
          if (found === undefined) throw new Error(`${key} is not registered.`)
          return found
        },
        { timeout: 10_000, interval: 5 },
      )
    }

    check("GET describes the routes", async () => {
      const response = await fetch(app.url)
      expect(response.status).toBe(200)
      expect(await response.json()).toMatchObject([{ slug: "note" }, { slug: "refused" }, { slug: "patient" }])
    })

    check("an upload is answered with signed URLs", async () => {
      const response = await upload(app.url, "note")
      expect(response.status).toBe(200)
      const [presigned] = (await response.json()) as Array<PresignedUpload>
      expect(presigned).toMatchObject({ name: "ünï.txt", customId: null })
      expect(presigned!.url.startsWith(`${ingest.url}/${presigned!.key}?`)).toBe(true)
    })

    check("the callback URL is the request's own, mount prefix included", async () => {
      const { callbackUrl } = await registrationOf(await upload(app.url, "note"))
      expect(callbackUrl).toBe(app.url)
    })

    check("middleware gets the framework's own request", async () => {
      const { metadata } = await registrationOf(await upload(app.url, "note", { headers: { [probeHeader]: "here" } }))
      expect(metadata).toEqual({ probe: "here" })
    })

    check("an UploadError keeps its code, status and message", async () => {
      const response = await upload(app.url, "refused")
      expect([response.status, response.headers.get("content-type")]).toEqual([402, "application/problem+json"])
      expect(await response.json()).toMatchObject({ code: "QUOTA_EXCEEDED", detail: "Pay 5 € first." })
    })

    check("a callback is verified over the bytes that were sent", async () => {
      const body = distort(callbackBody())
      const response = await callBack(app.url, body)
      expect([response.status, await response.json()]).toEqual([200, { ok: true }])
      expect(ingest.results.at(-1)).toMatchObject({
        callbackData: { name: "€ 😀 ü.txt", metadata: { probe: "über" } },
      })
      const rewritten = await callBack(app.url, JSON.stringify(JSON.parse(body)), body)
      expect(await rewritten.json()).toMatchObject({ code: "INVALID_SIGNATURE" })
    })

    check("onUploadComplete gets the framework's own request", async () => {
      await callBack(app.url, callbackBody())
      expect(ingest.results.at(-1)).toMatchObject({ callbackData: { probe: "callback" } })
    })

    check("a body whose characters are split over packets arrives whole", async () => {
      const body = Buffer.from(callbackBody())
      const { hostname, port, pathname, host } = new URL(app.url)
      const socket = connect(Number(port), hostname).setNoDelay(true)
      await once(socket, "connect")
      socket.write(
        [
          `POST ${pathname}?${names.action.slug}=note HTTP/1.1`,
          `host: ${host}`,
          "content-type: application/json",
          `${names.header.hook}: callback`,
          `${names.header.signature}: ${await signer.sign(body)}`,
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
      expect(ingest.results.at(-1)).toMatchObject({ callbackData: { name: "€ 😀 ü.txt" } })
    })

    check("behind a body parser it works or names the fix", async () => {
      expect(app.parsers?.length).toBeGreaterThan(0)
      for (const { name, url, callback } of app.parsers ?? []) {
        const response = await upload(url, "note")
        expect([name, response.status, await response.json()]).toMatchObject([name, 200, [{ name: "ünï.txt" }]])
        const called = await callBack(url, distort(callbackBody()))
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
      const response = await upload(app.url, "note", { body: "x".repeat(20_000_000) })
      expect([response.status, await response.json()]).toMatchObject([413, { code: "BAD_REQUEST" }])
    })

    check("an unknown route is a 404 problem", async () => {
      const response = await upload(app.url, "__proto__")
      expect([response.status, await response.json()]).toMatchObject([404, { code: "ROUTE_NOT_FOUND" }])
    })

    check("another method is a 405 problem", async () => {
      const response = await fetch(app.url, { method: "PUT", body: "x" })
      expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, POST"])
      expect(await response.json()).toMatchObject({ code: "METHOD_NOT_ALLOWED" })
    })

    check("several cookies stay several", async () => {
      const response = await fetch(app.probeUrl)
      expect(response.headers.getSetCookie().map((cookie) => cookie.split(";")[0])).toEqual(["a=1", "b=2"])
    })

    check("a streamed answer arrives in pieces", async () => {
      const response = await fetch(`${app.probeUrl}?stream`)
      const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
      expect((await reader.read()).value).toBe("one")
      await fetch(`${app.probeUrl}?release`)
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
      const answer = upload(app.url, "patient", {
        headers: { [reportHeader]: `http://127.0.0.1:${(reports.address() as AddressInfo).port}` },
        signal: controller.signal,
      })
      await begun.promise
      controller.abort()
      await expect(answer).rejects.toThrow()
      await aborted.promise
      reports.closeAllConnections()
      reports.close()
    })

    check("the whole circle: client, app, ingest, callback, and back at the client", async () => {
      const uploader = generateUploader<TestRouter>({ url: app.url, headers: { [probeHeader]: "circle" } })
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

    describe("in a browser", () => {
      const checkPage = (title: string, run: () => Promise<void>) => check(title, run, "browser")
      let profile: string
      let context: BrowserContext
      let dropzone: DrivenUploadPage

      beforeAll(async () => {
        profile = await mkdtemp(join(tmpdir(), "sluice-profile-"))
        context = await launchProfile(profile)
        dropzone = await driveUploadPage(context, app.pageUrl)
      })
      afterAll(async () => {
        await context?.close()
        await rm(profile, { recursive: true, force: true, maxRetries: 5 })
      })

      const large = new Uint8Array(6_000_000).map((_, i) => i % 253)
      const isStored = (name: string, bytes: Uint8Array) =>
        dropzone.page
          .locator("output", { hasText: `${name} is stored: ${createHash("sha256").update(bytes).digest("hex")}` })
          .waitFor()

      checkPage("a file that is chosen is stored, and what the app returned is there", async () => {
        await dropzone.choose({ name: "chosen.bin", mimeType: "", buffer: Buffer.from(large) })
        await isStored("chosen.bin", large)
        await dropzone.rowBecomes("chosen.bin", "done")
        await dropzone.drop("dropped.txt", "dropped")
        await isStored("dropped.txt", new TextEncoder().encode("dropped"))
        expect(dropzone.complaints).toEqual([])
      })

      checkPage("progress is shown, a pause keeps what is there, a cancelled file is not stored", async () => {
        await dropzone.setUploadSpeed(2_000_000)
        await dropzone.choose({ name: "slow.bin", mimeType: "", buffer: Buffer.from(large) })
        const seen = await dropzone.watchProgress("slow.bin")
        expect(seen).toEqual(seen.toSorted((a, b) => a - b))
        await dropzone.page.getByRole("button", { name: "Pause slow.bin" }).click()
        await dropzone.rowBecomes("slow.bin", "paused")
        await dropzone.page.getByRole("button", { name: "Resume slow.bin" }).click()
        await dropzone.rowBecomes("slow.bin", "uploading")
        await dropzone.page.getByRole("button", { name: "Cancel slow.bin" }).click()
        await dropzone.rowBecomes("slow.bin", "aborted")
        await dropzone.setUploadSpeed(-1)
        expect(await dropzone.page.locator("output").textContent()).not.toContain("slow.bin")
      })

      checkPage("a file goes on after a reload in the middle, where the stored bytes end", async () => {
        const ranges: Array<string | undefined> = []
        dropzone.page.on("request", (request) => {
          if (request.method() === "PUT") ranges.push(request.headers()["range"])
        })
        const file = join(profile, "reloaded.bin")
        await writeFile(file, large)
        await dropzone.setUploadSpeed(2_000_000)
        await dropzone.choose(file)
        await dropzone.watchProgress("reloaded.bin")
        await dropzone.page.reload()
        await dropzone.setUploadSpeed(-1)
        await dropzone.choose(file, "Choose it again to continue reloaded.bin")
        await isStored("reloaded.bin", large)
        expect(ranges).toEqual(["bytes=0-", expect.stringMatching(/^bytes=\d{6,}-$/)])
      })

      checkPage("what the page's limits and the app's own code refuse is said", async () => {
        await dropzone.choose({ name: "huge.bin", mimeType: "", buffer: Buffer.alloc(9_000_000) })
        await dropzone.row("huge.bin").getByText("is too large, at most 8\u00a0MB is allowed.").waitFor()
        await dropzone.page.evaluate(() =>
          document.querySelector("sluice-dropzone")!.setAttribute("endpoint", "refused"),
        )
        await dropzone.choose({ name: "unpaid.txt", mimeType: "", buffer: Buffer.from("x") }, "Choose a file")
        await dropzone.row("unpaid.txt").getByText("The storage is full.").waitFor()
      })
    })

    for (const skip of skips)
      if (!titles.has(skip.test)) throw new Error(`There is no test ${JSON.stringify(skip.test)}.`)
  })
}
