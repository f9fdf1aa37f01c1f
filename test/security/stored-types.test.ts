import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { createFileKey, type UploadGrant } from "../../src/protocol.ts"
import { useWindow } from "../browser/use-window.ts"
import {
  createGrant,
  encodedAppId,
  eventually,
  type IngestUnderTest,
  listen,
  putRaw,
  sign,
  startIngest,
} from "../ingest/circle.ts"
import { wellFormedTypes } from "./well-formed-types.ts"

/** Types that name another one behind a comma, or are none: browsers and servers read them differently. */
const brokenTypes = [
  "text/plain;,text/html",
  "text/plain;, text/html",
  "application/json;a=b, text/html",
  "image/png;,image/svg+xml",
  "text/plain;,application/xhtml+xml",
  "text/plain;charset=utf-8,text/html",
  "text/plain;charset=utf-8, text/xml;charset=utf-8",
  "application/octet-stream;x=y,text/html;charset=utf-7",
  "text/plain,text/html",
  "text/html,",
  ",text/html",
  'text/plain;a=", text/html',
  'text/plain;a="b",text/html',
  "text/plain;codecs=a,text/html",
  "text/plain;codecs=a, text/html",
  "text/html;charset",
  "text/html charset=utf-8",
  "text/html;=",
  "text/ html",
  "*/*",
  "html",
  "text/html\r\nx-other: 1",
]

const types = [...wellFormedTypes, ...brokenTypes, ""]
const dispositions = ["inline", "attachment"] as const

/** Tells that it ran, in the origin it ran in; as HTML and as any dialect of XML. */
const page = `<html xmlns="http://www.w3.org/1999/xhtml"><head><title>still</title></head><body><script>
document.title = "ran";
globalThis.ran = true;
localStorage.setItem(location.pathname, "ran");
navigator.serviceWorker.register(location.pathname);
</script></body></html>`

const parts = `--b\r\nContent-Type: text/html\r\n\r\n${page}\r\n--b--\r\n`

const contentOf = (type: string): string => {
  if (type.startsWith("multipart/")) return parts
  if (type.startsWith("message/"))
    return `MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n${parts}`
  return page
}

interface Case {
  readonly type: string
  readonly disposition: (typeof dispositions)[number]
  readonly path: string
}

const cases = types.flatMap((type) => dispositions.map((disposition) => ({ type, disposition })))

const toGrant = ({ type, disposition }: Omit<Case, "path">): UploadGrant =>
  createGrant({ name: "file", size: contentOf(type).length, type, contentDisposition: disposition })

/** Uploads each file as anybody would who has a URL for it; leaves out those that are refused. */
const upload = async (ingest: IngestUnderTest): Promise<ReadonlyArray<Case>> => {
  const stored: Array<Case> = []
  for (const one of cases) {
    const grant = toGrant(one)
    const { status } = await putRaw(await sign(ingest.url, grant), contentOf(one.type))
    expect([200, 400, 415], one.type).toContain(status)
    if (status === 200) stored.push({ ...one, path: `/f/${grant.key}` })
  }
  return stored
}

/** Puts each file into the catalog as a version that believed every type would have. */
const plant = async ({ catalog, url }: IngestUnderTest, grants: ReadonlyArray<UploadGrant>): Promise<void> => {
  for (const grant of grants) {
    const committed = await catalog.commitWhole({
      grant,
      origin: url,
      bytes: new TextEncoder().encode(contentOf(grant.type)),
      fileHash: grant.key,
      now: Date.now(),
      eventId: `evt_${grant.key}`,
      claimedUntil: null,
    })
    expect(committed.kind).toBe("committed")
  }
}

const plantAll = async (ingest: IngestUnderTest): Promise<ReadonlyArray<Case>> => {
  const planted = cases.map((one) => ({ one, grant: toGrant(one) }))
  await plant(
    ingest,
    planted.map(({ grant }) => grant),
  )
  return planted.map(({ one, grant }) => ({ ...one, path: `/f/${grant.key}` }))
}

const window = useWindow()

/** A page of the ingest's own origin in which scripts may run, should any come: the answer of `/health`. */
const openOrigin = async (origin: string): Promise<Page> => {
  const opened = await window().newPage()
  await opened.goto(`${origin}/health`)
  return opened
}

/** Navigates to each file; gives those whose script ran. */
const navigate = async (origin: string, files: ReadonlyArray<Case>): Promise<ReadonlyArray<string>> => {
  const opened = await openOrigin(origin)
  const ran: Array<string> = []
  for (const { path, type, disposition } of files) {
    const shown = await opened.goto(origin + path).catch(async (error: Error) => {
      // The browser's own page for what it cannot show comes late: what is there then is looked at all the same.
      if (error.message.includes("interrupted by another navigation")) {
        await opened.waitForTimeout(300)
        await opened.waitForLoadState()
        return opened
      }
      if (!/Download is starting|ERR_ABORTED|ERR_INVALID_SIGNED_EXCHANGE/.test(error.message)) throw error
      return null
    })
    if (shown === null) continue
    const title = await opened.evaluate(() => (Reflect.has(globalThis, "ran") ? "ran" : document.title))
    if (title === "ran") ran.push(`${disposition} ${type}`)
  }
  await opened.close()
  return ran
}

/** Shows each file in a frame of its own, all at once, until each is loaded or has become a download. */
const frame = async (origin: string, files: ReadonlyArray<Case>): Promise<void> => {
  const opened = await openOrigin(origin)
  let downloads = 0
  opened.on("download", () => downloads++)
  await opened.evaluate(
    (paths) => {
      const loaded = { count: 0 }
      Object.assign(globalThis, { loaded })
      for (const path of paths) {
        const element = document.createElement("iframe")
        element.addEventListener("load", () => loaded.count++)
        element.src = path
        document.body.append(element)
      }
    },
    files.map(({ path }) => path),
  )
  const loads = () => opened.evaluate(() => (globalThis as unknown as { loaded: { count: number } }).loaded.count)
  await eventually(async () => (await loads()) + downloads >= files.length)
  await opened.close()
}

/** What scripts left behind in an origin. */
const findTraces = async (origin: string) => {
  const opened = await openOrigin(origin)
  const traces = await opened.evaluate(async () => ({
    stored: Object.keys(localStorage),
    workers: (await navigator.serviceWorker.getRegistrations()).length,
  }))
  await opened.close()
  return traces
}

const attack = async (origin: string, files: ReadonlyArray<Case>) => {
  const navigated = await navigate(origin, files)
  await frame(origin, files)
  const { stored, workers } = await findTraces(origin)
  const inOrigin = files
    .filter(({ path }) => stored.includes(path))
    .map(({ type, disposition }) => `${disposition} ${type}`)
  return { navigated, inOrigin, workers }
}

const nothing = { navigated: [], inOrigin: [], workers: 0 }

/** What a server does that knows types by heart and thinks of nothing else. */
const startNaive = async () => {
  const files = new Map(
    cases
      .filter(({ type }) => !/[\r\n]/.test(type))
      .map((one) => ({ ...one, path: `/f/${createFileKey(encodedAppId)}` }))
      .map((one) => [one.path, one]),
  )
  const origin = await listen(({ url = "" }, response) => {
    const { type, disposition } = files.get(url) ?? { type: "application/json", disposition: "inline" }
    response.writeHead(200, { "content-type": type, "content-disposition": disposition })
    response.end(files.has(url) ? contentOf(type) : "{}")
  })
  return { origin, files: [...files.values()] }
}

describe("a stored file in a browser", { timeout: 120_000 }, () => {
  it("runs no script in the ingest's origin, whatever type it was uploaded as", async () => {
    const ingest = await startIngest()
    const files = await upload(ingest)
    expect(files.map(({ type }) => type)).toEqual(expect.arrayContaining(["text/html", "image/svg+xml", "text/xml"]))
    expect(await attack(ingest.url, files)).toEqual(nothing)
  })

  it("runs no script in the ingest's origin, whatever type an older version kept it as", async () => {
    const ingest = await startIngest()
    const files = await plantAll(ingest)
    expect(files.length).toBeGreaterThanOrEqual(2 * 40)
    expect(await attack(ingest.url, files)).toEqual(nothing)
  })

  it("would run its script if it were sent as it was declared", async () => {
    const { origin, files } = await startNaive()
    const { navigated, inOrigin } = await attack(origin, files)
    const known = ["text/html", "image/svg+xml", "text/xml", "text/xsl", "unknown/unknown", "text/plain;,text/html"]
    expect(inOrigin).toEqual(expect.arrayContaining(known.map((type) => `inline ${type}`)))
    expect(navigated).toEqual(inOrigin)
  })

  it("is no service worker, worker, script or module of its own origin", async () => {
    const ingest = await startIngest()
    const script =
      "globalThis.ran = true; globalThis.postMessage?.('ran'); globalThis.onconnect = ({ ports }) => ports[0].postMessage('ran')"
    const uses = async (origin: string, path: string) => {
      const opened = await openOrigin(origin)
      const found = await opened.evaluate(async (path) => {
        const say = (promise: Promise<unknown>) =>
          promise.then(
            () => "ran",
            () => "refused",
          )
        const hear = (worker: EventTarget, port: { onmessage: unknown }) =>
          new Promise<string>((resolve) => {
            port.onmessage = () => resolve("ran")
            worker.addEventListener("error", () => resolve("refused"))
            setTimeout(() => resolve("silent"), 5000)
          })
        /** A browser that is busy may lose a worker and say nothing: another one is asked then. */
        const hearOne = async (start: (name: string) => Promise<string>) => {
          let said = "silent"
          for (let tries = 0; tries < 3 && said === "silent"; tries++) said = await start(`worker ${tries}`)
          return said
        }
        const include = (type: string) =>
          new Promise((resolve, reject) => {
            const element = Object.assign(document.createElement("script"), { type, src: `${path}?${type}` })
            element.onload = resolve
            element.onerror = reject
            document.body.append(element)
          })
        const register = async () => {
          const registration = await navigator.serviceWorker.register(path)
          await registration.unregister()
        }
        const work = (name: string) => {
          const worker = new Worker(path, { name })
          return hear(worker, worker)
        }
        const share = (name: string) => {
          const worker = new SharedWorker(path, { name })
          return hear(worker, worker.port)
        }
        // One after the other: a service worker that comes and goes meanwhile may keep a shared worker from starting.
        return {
          worker: await hearOne(work),
          sharedWorker: await hearOne(share),
          script: await say(include("text/javascript")),
          module: await say(include("module")),
          serviceWorker: await say(register()),
        }
      }, path)
      // As a text: Vitest would make a call of its own of the word.
      const imported = await opened.evaluate(`import("${path}?import").then(() => "ran", () => "refused")`)
      await opened.close()
      return { ...found, import: imported }
    }
    const all = (verdict: string) => ({
      serviceWorker: verdict,
      worker: verdict,
      sharedWorker: verdict,
      script: verdict,
      module: verdict,
      import: verdict,
    })
    for (const type of ["text/javascript", "application/javascript", "text/javascript;charset=utf-8"]) {
      const grant = createGrant({ size: script.length, type, contentDisposition: "inline" })
      expect((await putRaw(await sign(ingest.url, grant), script)).status).toBe(200)
      expect(await uses(ingest.url, `/f/${grant.key}`), type).toEqual(all("refused"))
    }
    const naive = await new Promise<string>((resolve) => {
      void listen((_, response) => {
        response.writeHead(200, { "content-type": "text/javascript" })
        response.end(script)
      }).then(resolve)
    })
    expect(await uses(naive, "/f/x")).toEqual(all("ran"))
  })
})
