import { createHash } from "node:crypto"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { Browser, BrowserContext, Page } from "playwright-core"
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest"
import type { InterruptedUpload, Upload, UploadOutcome } from "../../src/client.ts"
import { launchChromium, launchProfile } from "../browser/chromium.ts"
import { bundleDoors } from "./bundle-doors.ts"
import { type Fault, type Peer, startPeer } from "./peer.ts"

type Door = typeof import("../../src/client.ts") & typeof import("../../src/resume.ts")

declare global {
  interface Window {
    door: Door
    /** What the page was asked to do. */
    job: { upload: Upload<any>; events: Array<string>; file?: File }
    /** What {@link follow} has listed, and what {@link remember} gives. */
    listed: string
    show: () => () => void
    leave: () => void
    fail: () => void
  }
}

let browser: Browser
let script: string
let peer: Peer
let context: BrowserContext

beforeAll(async () => {
  browser = await launchChromium()
  script = await bundleDoors(["client", "resume"], "door")
})
afterAll(() => browser?.close())

beforeEach(async () => {
  peer = await startPeer()
  peer.serve("/", "text/html", `<!doctype html><link rel="icon" href="data:,"><script src="/client.js"></script>`)
  peer.serve("/client.js", "text/javascript", script)
  context = await browser.newContext()
})
afterEach(async () => {
  await context.close()
  await peer.close()
})

/** More than the sockets' buffers hold. */
const size = 20_000_000
const hash = createHash("sha256").update(Buffer.alloc(size, 7)).digest("hex")
const never = new Promise<never>(() => {})

const openTab = async (): Promise<Page> => {
  const page = await context.newPage()
  await page.goto(`${peer.origin}/`)
  return page
}

/** A tab of a browser with a profile on disk: private windows crash on file handles. */
const openTabAtHome = async (): Promise<Page> => {
  const folder = await mkdtemp(join(tmpdir(), "profile-"))
  const home = await launchProfile(folder)
  onTestFinished(async () => {
    await home.close()
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  })
  const page = await home.newPage()
  await page.goto(`${peer.origin}/`)
  return page
}

interface Start {
  readonly name?: string
  /** What the file is full of. */
  readonly fill?: number
  readonly scope?: string
  readonly input?: unknown
  readonly maxAge?: number
  /** Whether `window.file` is what the user picked. */
  readonly hasFile?: boolean
}

/** Starts an upload in a tab, of what a user picked: the same bytes, name and time are the same file. */
const start = (page: Page, options: Start = {}): Promise<void> =>
  page.evaluate(
    async ({ size, options: { name = "a", fill = 7, input, hasFile, ...rest } }) => {
      const { createResumeStore, generateUploader } = window.door
      const content = new Uint8Array(size).fill(fill)
      const file = hasFile ? window.job.file! : new File([content], name, { type: "video/mp4", lastModified: 1000 })
      const events: Array<string> = []
      const upload = generateUploader<any>({ retry: { delay: 1 }, resumeStore: createResumeStore(rest) }).createUpload(
        "any",
        {
          files: [file],
          input,
          onEvent: (event: { type: string; reason?: string; offset?: number }) => {
            if (event.type !== "progress") events.push(`${event.type} ${event.reason ?? event.offset ?? ""}`.trim())
          },
        },
      )
      window.job = { upload, events, file }
    },
    { size, options },
  )

const outcome = (page: Page) =>
  page.evaluate(async () => {
    const [end] = (await window.job.upload.done()) as Array<UploadOutcome<any>>
    return end!.status === "done"
      ? { status: end!.status, hash: end!.fileHash, key: end!.key }
      : { status: end!.status, code: end!.error.code }
  })

const list = (page: Page, options: { scope?: string; maxAge?: number } = {}) =>
  page.evaluate(
    async (given) =>
      (await window.door.createResumeStore(given).list()).map(({ reopen, ...about }: InterruptedUpload) => ({
        ...about,
        canReopen: reopen !== undefined,
      })),
    options,
  )

/** Lets the next PUT of a file stop after some bytes, until the connection breaks. */
const stall = (name = "a") => peer.fail("PUT", name, { stallAfter: 3_000_000, until: never })
const stalled = (name = "a") => peer.until(() => peer.inFlight === 1 && peer.storedOf(name) >= 3_000_000)

/** Starts an upload and reloads the page in the middle. Gives where it stopped. */
const interrupt = async (page: Page, options: Start = {}): Promise<number> => {
  stall(options.name)
  await start(page, options)
  await stalled(options.name)
  await page.reload()
  return peer.storedOf(options.name ?? "a")
}

test("after a reload the same file goes on where it stopped, under the same key", async () => {
  const page = await openTab()
  const offset = await interrupt(page, { input: { album: 3 } })
  expect(await list(page)).toMatchObject([
    { slug: "any", name: "a", size, type: "video/mp4", lastModified: 1000, input: { album: 3 }, canReopen: false },
  ])
  await start(page, { input: { album: 3 } })
  expect(await outcome(page)).toEqual({ status: "done", hash, key: "key0" })
  expect(peer.trace("a")).toEqual(["PUT bytes=0-", "HEAD", `PUT bytes=${offset}-`])
  expect(peer.trace("any")).toEqual(["POST"])
  expect(await page.evaluate(() => window.job.events)).toEqual([`begin ${offset}`, "end"])
  expect(await list(page)).toEqual([])
})

test("after a reload a file is opened again by its handle", async () => {
  const page = await openTabAtHome()
  stall()
  await page.evaluate(async (size) => {
    const folder = await navigator.storage.getDirectory()
    const handle = await folder.getFileHandle("a", { create: true })
    const writable = await handle.createWritable()
    await writable.write(new Uint8Array(size).fill(7))
    await writable.close()
    const resumeStore = window.door.createResumeStore()
    const file = await handle.getFile()
    resumeStore.attachHandle(file, handle)
    void window.door.generateUploader<any>({ resumeStore }).uploadFiles("any", { files: [file] })
  }, size)
  await stalled()
  await page.reload()
  await page.evaluate(async () => {
    const [interrupted] = await window.door.createResumeStore().list("any")
    window.job = { ...window.job, file: (await interrupted!.reopen!())! }
  })
  await start(page, { hasFile: true })
  expect(await outcome(page)).toEqual({ status: "done", hash, key: "key0" })
  expect(peer.trace("any")).toEqual(["POST"])
})

test("a file that has changed is not opened again", async () => {
  const page = await openTabAtHome()
  const reopened = await page.evaluate(async () => {
    const folder = await navigator.storage.getDirectory()
    const handle = await folder.getFileHandle("b", { create: true })
    const write = async (text: string) => {
      const writable = await handle.createWritable()
      await writable.write(text)
      await writable.close()
    }
    await write("first")
    const resumeStore = window.door.createResumeStore()
    const file = await handle.getFile()
    resumeStore.attachHandle(file, handle)
    const entry = await resumeStore.open({ url: location.href, slug: "any", input: undefined, file })
    await entry.keep({ key: "k", url: "https://x/k?expires=1", name: "b", customId: null })
    const [before] = await resumeStore.list()
    const same = await before!.reopen!()
    await write("second")
    return [same?.name, (await before!.reopen!())?.name]
  })
  expect(reopened).toEqual(["b", undefined])
})

test("another file, input or user is another upload", async () => {
  const page = await openTab()
  await interrupt(page, { scope: "ada", input: 1 })
  expect(await list(page)).toEqual([])
  expect(await list(page, { scope: "ada" })).toHaveLength(1)
  const others: ReadonlyArray<Start> = [
    { scope: "bob", input: 1 },
    { scope: "ada", input: 2 },
    { scope: "ada", input: 1, fill: 8 },
    { scope: "ada", input: 1, name: "b" },
  ]
  for (const other of others) {
    await start(page, other)
    expect(await outcome(page)).toMatchObject({ status: "done" })
  }
  expect(peer.trace("any")).toHaveLength(1 + others.length)
  expect(peer.trace("a").filter((request) => request === "HEAD")).toEqual([])
})

/** Uploads files that look the same and are not, with a store. @returns the content each outcome's key was stored with */
const uploadTwins = (page: Page, paths: ReadonlyArray<string>, isOneByOne: boolean) =>
  page.evaluate(
    async ([paths, isOneByOne]) => {
      const { createResumeStore, generateUploader } = window.door
      const files = paths.map((path, index) => {
        const content = new Uint8Array(300_000)
        content[150_000] = index + 1
        const file = new File([content], "scan.pdf", { type: "application/pdf", lastModified: 1000 })
        return Object.defineProperty(file, "webkitRelativePath", { value: path })
      })
      const uploader = generateUploader<any>({ retry: { delay: 1 }, resumeStore: createResumeStore() })
      const all = isOneByOne ? files.map((file) => [file]) : [files]
      const ended = await Promise.all(all.map((files) => uploader.createUpload("any", { files }).done()))
      const outcomes = ended.flat() as Array<UploadOutcome<any>>
      return {
        keys: outcomes.map((end) => (end.status === "done" ? end.key : end.status)),
        hashes: outcomes.map((end) => (end.status === "done" ? end.fileHash : end.status)),
        left: (await createResumeStore().list()).length,
      }
    },
    [paths, isOneByOne] as const,
  )
const twinHash = (index: number) => {
  const content = Buffer.alloc(300_000)
  content[150_000] = index + 1
  return createHash("sha256").update(content).digest("hex")
}

test.each([
  ["of two folders, in one upload", ["a/scan.pdf", "b/scan.pdf", "c/scan.pdf"], false],
  ["without a folder, in one upload", ["", "", ""], false],
  ["of two folders, in an upload each", ["a/scan.pdf", "b/scan.pdf", "c/scan.pdf"], true],
  ["without a folder, in an upload each", ["", "", ""], true],
] as const)("files that look the same and differ in the middle are each uploaded: %s", async (_, paths, isOneByOne) => {
  const page = await openTab()
  const { keys, hashes, left } = await uploadTwins(page, paths, isOneByOne)
  expect(new Set(keys).size).toBe(3)
  expect(hashes).toEqual([0, 1, 2].map(twinHash))
  expect(left).toBe(0)
})

test("what was interrupted does not go on with the bytes of its twin in another folder", async () => {
  const page = await openTab()
  const send = (fill: number, path: string) =>
    page.evaluate(
      ([size, fill, path]) => {
        const { createResumeStore, generateUploader } = window.door
        const content = new Uint8Array(size)
        content[size / 2] = fill
        const file = new File([content], "a", { type: "video/mp4", lastModified: 1000 })
        Object.defineProperty(file, "webkitRelativePath", { value: path })
        const uploader = generateUploader<any>({ retry: { delay: 1 }, resumeStore: createResumeStore() })
        window.job = { upload: uploader.createUpload("any", { files: [file] }), events: [] }
      },
      [size, fill, path] as const,
    )
  peer.fail("PUT", "a", { stallAfter: 1_000_000, until: never })
  await send(1, "one/a")
  await peer.until(() => peer.storedOf("a") > 0)
  await page.reload()
  await send(2, "two/a")
  const end = await outcome(page)
  const twin = Buffer.alloc(size)
  twin[size / 2] = 2
  expect(end).toMatchObject({ status: "done", hash: createHash("sha256").update(twin).digest("hex") })
  expect(await list(page)).toMatchObject([{ name: "a" }])
})

test("a file that has failed and is chosen again, as another object, goes on where it was", async () => {
  const page = await openTab()
  peer.fail("PUT", "a", { cutAfter: 5_000_000 }, ...Array<Fault>(8).fill({ status: 500 }))
  await start(page)
  expect(await outcome(page)).toMatchObject({ status: "failed" })
  const sent = peer.storedOf("a")
  expect(sent).toBeGreaterThan(0)
  await start(page)
  expect(await outcome(page)).toMatchObject({ status: "done" })
  expect(await page.evaluate(() => window.job.events.find((event) => event.startsWith("begin")))).toBe(`begin ${sent}`)
})

test("a file that was paused, and is chosen again as another object, goes on where it was", async () => {
  const page = await openTab()
  peer.fail("PUT", "a", { stallAfter: 5_000_000, until: never })
  await start(page)
  await peer.until(() => peer.storedOf("a") > 0)
  // A page of the app that was left, with its component.
  await page.evaluate(() => window.job.upload.pauseUpload())
  await outcome(page)
  await start(page)
  expect(await outcome(page)).toMatchObject({ status: "done", hash })
  expect(await page.evaluate(() => window.job.events.find((event) => event.startsWith("begin")))).toMatch(
    /^begin [1-9]/,
  )
  expect(await list(page)).toEqual([])
})

/** Two files of one page that look the same, and differ in the middle or do not; the first is paused in the middle. */
const pauseTwin = (page: Page, isSame: boolean) =>
  page.evaluate(
    async ([size, isSame]) => {
      const { createResumeStore, generateUploader } = window.door
      const make = (fill: number) => {
        const content = new Uint8Array(size)
        content[1_000_000] = fill
        return new File([content], "a", { type: "video/mp4", lastModified: 1000 })
      }
      const create = (file: File) =>
        // As a component makes it that renders anew: the stores share what the page knows.
        generateUploader<any>({
          retry: { delay: 1 },
          resumeStore: createResumeStore({ scope: () => "ann" }),
        }).createUpload("any", { files: [file] })
      Object.assign(window, { twins: [create(make(1)), () => create(make(isSame ? 1 : 2))] })
    },
    [size, isSame] as const,
  )

test.each([
  ["is sent while the first one is paused", ["pause", "second", "resume"]],
  ["is sent, and the first one is removed", ["pause", "second", "abort"]],
] as const)("a file that looks like a paused one and has another content: it %s", async (_, steps) => {
  const page = await openTab()
  peer.fail("PUT", "a", { stallAfter: 5_000_000, until: never })
  await pauseTwin(page, false)
  await peer.until(() => peer.storedOf("a") > 1_000_000)
  const ends = await page.evaluate(async (steps) => {
    const [first, start] = (window as unknown as { twins: [Upload<any>, () => Upload<any>] }).twins
    first.pauseUpload()
    await first.done()
    const second = start()
    const [end] = (await second.done()) as Array<UploadOutcome<any>>
    if (steps[2] === "abort") first.abortUpload()
    else first.resumeUpload()
    const [other] = (await first.done()) as Array<UploadOutcome<any>>
    return [end!, other!].map((one) => (one.status === "done" ? [one.key, one.fileHash] : [one.status]))
  }, steps)
  const hashes = [1, 2].map((fill) => {
    const content = Buffer.alloc(size)
    content[1_000_000] = fill
    return createHash("sha256").update(content).digest("hex")
  })
  expect(ends[0]![1]).toBe(hashes[1])
  expect(ends[1]).toEqual(steps[2] === "abort" ? ["aborted"] : [expect.not.stringMatching(ends[0]![0]!), hashes[0]])
})

test("a file that looks like a paused one and has the same content is the same, and goes on where it was", async () => {
  const page = await openTab()
  peer.fail("PUT", "a", { stallAfter: 5_000_000, until: never })
  await pauseTwin(page, true)
  await peer.until(() => peer.storedOf("a") > 1_000_000)
  const keys = await page.evaluate(async () => {
    const [first, start] = (window as unknown as { twins: [Upload<any>, () => Upload<any>] }).twins
    first.pauseUpload()
    await first.done()
    const [end] = (await start().done()) as Array<UploadOutcome<any>>
    return end!.status
  })
  expect(keys).toBe("done")
  expect(peer.seen.filter(({ at, method, name }) => at === "app" && method === "POST" && name === "any")).toHaveLength(
    1,
  )
})

test.each([
  ["is not yet removed", "first"],
  ["has another entry that ended before it had a URL", "other"],
] as const)("a file that looks like one whose record %s does not go on with it", async (_, ending) => {
  const page = await openTab()
  const kept = await page.evaluate(async (ending) => {
    const store = window.door.createResumeStore()
    const make = (fill: number) => {
      const content = new Uint8Array(200_000)
      content[100_000] = fill
      return new File([content], "a", { lastModified: 1000 })
    }
    const enter = (file: File) => store.open({ url: location.href, slug: "any", input: undefined, file })
    const file = make(1)
    const [first, other] = [await enter(file), await enter(file)]
    await first.keep({ key: "key", url: "key", name: "a", customId: null })
    let ended: Promise<unknown> | undefined
    const { get } = IDBObjectStore.prototype
    // It ends while the other one looks for a record.
    IDBObjectStore.prototype.get = function (...key) {
      IDBObjectStore.prototype.get = get
      if (ending === "first") ended = first.forget()
      return get.apply(this, key)
    }
    if (ending === "other") await other.forget()
    const opening = enter(make(2))
    const kept = [await opening, await enter(make(2))].map((entry) => entry.kept?.key)
    await ended
    return { kept, listed: (await store.list()).length }
  }, ending)
  expect(kept).toEqual({ kept: [undefined, undefined], listed: ending === "other" ? 1 : 0 })
})

test("a scope that is a function is asked each time: while it is undefined nothing is remembered, and nothing listed", async () => {
  const page = await openTab()
  const begin = (user: string | undefined, name: string) =>
    page.evaluate(
      async ([user, name]) => {
        const state = globalThis as unknown as { user?: string | undefined; read?: () => string | undefined }
        state.user = user
        state.read ??= () => state.user
        const resumeStore = window.door.createResumeStore({ scope: state.read })
        const file = new File(["same"], name, { lastModified: 1 })
        const entry = await resumeStore.open({ url: location.href, slug: "any", input: undefined, file })
        await entry.keep({ key: name, url: name, name, customId: null })
        const isSame = resumeStore === window.door.createResumeStore({ scope: state.read })
        return { isSame, listed: (await resumeStore.list()).map((each) => each.name) }
      },
      [user, name] as const,
    )
  expect(await begin(undefined, "nobody's")).toEqual({ isSame: true, listed: [] })
  expect(await begin("ann", "ann's")).toEqual({ isSame: true, listed: ["ann's"] })
  expect(await begin("eve", "eve's")).toEqual({ isSame: true, listed: ["eve's"] })
  expect(await begin(undefined, "nobody's")).toEqual({ isSame: true, listed: [] })
  expect((await list(page, { scope: "ann" })).map(({ name }) => name)).toEqual(["ann's"])
  expect(await list(page)).toEqual([])
})

test("what is removed is ended at the ingest, once; another one stays", async () => {
  const page = await openTab()
  await interrupt(page)
  stall("b")
  await start(page, { name: "b" })
  await peer.until(() => peer.storedOf("b") >= 3_000_000)
  await page.reload()
  const [b, a] = await list(page)
  expect([a, b]).toMatchObject([{ name: "a" }, { name: "b" }])
  for (const id of [a!.id, a!.id, "unknown"]) {
    await page.evaluate((id) => window.door.createResumeStore().remove(id), id)
  }
  await peer.until(() => peer.trace("a").includes("DELETE"))
  expect(peer.trace("a")).toEqual(["PUT bytes=0-", "DELETE"])
  expect(peer.trace("b")).toEqual(["PUT bytes=0-"])
  expect(await list(page)).toMatchObject([{ name: "b" }])
})

test("what is too old is forgotten", async () => {
  const page = await openTab()
  await interrupt(page)
  expect(await list(page, { maxAge: 0 })).toEqual([])
  expect(await list(page)).toEqual([])
})

test("of two tabs with the same file one sends it, and both have it", async () => {
  const [first, second] = [await openTab(), await openTab()]
  const hold = Promise.withResolvers<void>()
  peer.fail("PUT", "a", { stallAfter: 3_000_000, until: hold.promise })
  await start(first)
  await stalled()
  await start(second)
  await second.waitForFunction(() => window.job.events.includes("wait locked"))
  expect(await list(second)).toEqual([])
  hold.resolve()
  expect(await outcome(first)).toEqual({ status: "done", hash, key: "key0" })
  expect(await outcome(second)).toEqual({ status: "done", hash, key: "key0" })
  expect(peer.trace("a")).toEqual(["PUT bytes=0-", "HEAD", `PUT bytes=${size}-`])
  expect(peer.trace("any")).toEqual(["POST"])
})

test("of two tabs that ask for a URL at once, both go by that of the first to keep it; a renewed one takes its place", async () => {
  const tabs = [await openTab(), await openTab()]
  const keep = (page: Page, ...urls: ReadonlyArray<readonly [key: string, url: string]>) =>
    page.evaluate(async (urls) => {
      const resumeStore = window.door.createResumeStore()
      // The same object each time: another one would be another file of this page.
      const file = (window.job ??= { file: new File(["same"], "s", { lastModified: 1 }) } as Window["job"]).file!
      const entry = await resumeStore.open({ url: location.href, slug: "any", input: undefined, file })
      const used = []
      for (const [key, url] of urls) used.push((await entry.keep({ key, url, name: "s", customId: null })).url)
      return used
    }, urls)
  const [[first], [second]] = (await Promise.all(tabs.map((tab, i) => keep(tab, [`k${i}`, `u${i}`])))) as [
    [string],
    [string],
  ]
  expect(first).toBe(second)
  const number = first.slice(1)
  const other = 1 - Number(number)
  expect(await keep(tabs[0]!, [`k${number}`, "renewed"], [`k${other}`, "late"])).toEqual(["renewed", "renewed"])
})

test("a tab that is closed in the middle leaves the rest to the other", async () => {
  const [first, second] = [await openTab(), await openTab()]
  stall()
  await start(first)
  await stalled()
  await start(second)
  await second.waitForFunction(() => window.job.events.includes("wait locked"))
  await first.close()
  expect(await outcome(second)).toEqual({ status: "done", hash, key: "key0" })
  expect(peer.trace("a")).toEqual(["PUT bytes=0-", "HEAD", expect.stringMatching(/^PUT bytes=[1-9]\d+-$/)])
})

/** Remembers an upload in a tab, which shows it or sends it for ever, until `leave` or `fail`. */
const remember = (page: Page, how: "shown" | "sent") =>
  page.evaluate(async (how) => {
    const store = window.door.createResumeStore()
    const file = new File(["abc"], "a", { lastModified: 1000 })
    const show = () => store.occupy!(file)
    const leave = how === "shown" ? show() : () => {}
    const entry = await store.open({ url: location.href, slug: "any", input: undefined, file })
    await entry.keep({ key: "k", url: `${location.origin}/k`, name: "a", customId: null })
    const { promise, reject: fail } = Promise.withResolvers<never>()
    if (how === "sent") {
      const { signal } = new AbortController()
      await new Promise<void>((resolve) => {
        const work = () => {
          resolve()
          return promise
        }
        entry.exclusively(work, signal, () => {}).catch(() => {})
      })
    }
    Object.assign(window, { leave, show, fail })
  }, how)
/** Lists in a tab, and anew whenever that is told. */
const follow = (page: Page) =>
  page.evaluate(async () => {
    const store = window.door.createResumeStore()
    const look = async () => Object.assign(window, { listed: (await store.list()).map(({ name }) => name).join() })
    store.subscribe!(look)
    await look()
  })
const listsNow = (page: Page, names: string) => page.waitForFunction((names) => window.listed === names, names)

test("what a tab has shown that is closed is offered, although another one that waits for it shows a dialog", async () => {
  const [first, blocked, third] = [await openTab(), await openTab(), await openTab()]
  await remember(first, "shown")
  await follow(blocked)
  await listsNow(blocked, "")
  blocked.on("dialog", () => {}) // It is left open.
  const isShown = blocked.waitForEvent("dialog")
  await blocked.evaluate(() => void setTimeout(() => alert("Still there?"), 0))
  await isShown
  await follow(third)
  await listsNow(third, "")
  await first.close()
  await listsNow(third, "a")
})

test("all tabs are told of a list that leaves its page, and that comes back", async () => {
  const tabs = [await openTab(), await openTab()] as const
  await remember(tabs[0], "shown")
  for (const tab of tabs) await follow(tab)
  for (const tab of tabs) await listsNow(tab, "")
  await tabs[0].evaluate(() => window.leave())
  for (const tab of tabs) await listsNow(tab, "a")
  await tabs[0].evaluate(() => void (window.leave = window.show()))
  for (const tab of tabs) await listsNow(tab, "")
  await tabs[0].evaluate(() => window.leave())
  for (const tab of tabs) await listsNow(tab, "a")
})

test("an upload that no list shows is offered once it has failed", async () => {
  const tabs = [await openTab(), await openTab()] as const
  await remember(tabs[0], "sent")
  for (const tab of tabs) await follow(tab)
  for (const tab of tabs) await listsNow(tab, "")
  await tabs[0].evaluate(() => window.fail())
  for (const tab of tabs) await listsNow(tab, "a")
})

test("an upload that no list shows is offered once its tab is closed", async () => {
  const [first, second] = [await openTab(), await openTab()]
  await remember(first, "sent")
  await follow(second)
  await listsNow(second, "")
  await first.close()
  await listsNow(second, "a")
})

test("a URL that has expired while the page was away is renewed, and the offset kept", async () => {
  const page = await openTab()
  const offset = await interrupt(page)
  peer.expire("a")
  await start(page)
  expect(await outcome(page)).toEqual({ status: "done", hash, key: "key0" })
  expect(peer.trace("a").at(-1)).toBe(`PUT bytes=${offset}-`)
})

test("a PUT that is refused before it is read, which may look like a broken connection, is seen to be expired", async () => {
  const page = await openTab()
  peer.expire("a")
  await start(page)
  expect(await outcome(page)).toEqual({ status: "done", hash, key: "key0" })
  expect(peer.trace("any")).toEqual(["POST", "RENEW"])
})

test("offline is waited for, and no failure", async () => {
  const page = await openTab()
  await context.setOffline(true)
  await start(page)
  await page.waitForFunction(() => window.job.events.includes("wait offline"))
  await context.setOffline(false)
  expect(await outcome(page)).toEqual({ status: "done", hash, key: "key0" })
  expect(await page.evaluate(() => window.job.events)).toEqual(["wait offline", "begin 0", "end"])
})

/** What a browser, or what an extension made of it, may never answer. It is called in the page. */
const mute: Readonly<Record<string, () => unknown>> = {
  "a database that is not opened": () => {
    IDBFactory.prototype.open = () => new EventTarget() as IDBOpenDBRequest
  },
  "a database that waits for its removal": async () => {
    const request = indexedDB.open("sluice-resume", 1)
    request.onupgradeneeded = () => request.result.createObjectStore("entries", { keyPath: "id" })
    await new Promise((resolve) => (request.onsuccess = resolve))
    indexedDB.deleteDatabase("sluice-resume")
  },
  "a table that somebody holds": async () => {
    const request = indexedDB.open("sluice-resume", 1)
    request.onupgradeneeded = () => request.result.createObjectStore("entries", { keyPath: "id" })
    await new Promise((resolve) => (request.onsuccess = resolve))
    const held = request.result.transaction("entries", "readwrite").objectStore("entries")
    const ask = () => void (held.get("x").onsuccess = ask)
    ask()
  },
  "a change that is never made": () => {
    IDBObjectStore.prototype.put = () => new EventTarget() as IDBRequest<IDBValidKey>
  },
  "the question which locks are held": () => {
    LockManager.prototype.query = () => new Promise(() => {})
  },
  "a lock that is neither free nor taken": () => {
    LockManager.prototype.request = () => new Promise<never>(() => {})
  },
  "a hash": () => {
    SubtleCrypto.prototype.digest = () => new Promise(() => {})
  },
}

test("where the browser never answers, files are uploaded all the same, and nothing is listed", async () => {
  const ends = Object.entries(mute).map(async ([what, hush]) => {
    const page = await (await browser.newContext()).newPage()
    await page.goto(`${peer.origin}/`)
    // As a text: functions are not handed over.
    await page.evaluate(`(${String(hush)})()`)
    await start(page, { name: what })
    const { status } = await outcome(page)
    const listed = await list(page)
    await page.context().close()
    return [what, status, listed.length]
  })
  expect(await Promise.all(ends)).toEqual(Object.keys(mute).map((what) => [what, "done", 0]))
})

test.each(["indexedDB", "navigator.locks", "crypto.subtle"])(
  "without %s uploads work, and nothing is kept",
  async (gone) => {
    await context.addInitScript((name) => {
      const path = name.split(".")
      const owner = path.length === 1 ? window : (window as any)[path[0]!]
      Object.defineProperty(owner, path.at(-1)!, { value: undefined })
    }, gone)
    const page = await openTab()
    await start(page)
    expect(await outcome(page)).toMatchObject({ status: "done", hash })
    expect(await list(page)).toEqual([])
  },
)

test("a stream is made a Blob in browsers", async () => {
  const page = await openTab()
  const end = await page.evaluate(async (size) => {
    const { fileFromStream, generateUploader } = window.door
    const content = new Blob([new Uint8Array(size).fill(7)])
    const file = fileFromStream({ name: "a", size, stream: (start) => content.slice(start).stream() })
    const [done] = await generateUploader<any>().uploadFiles("any", { files: [file] })
    return done!.status === "done" && done!.fileHash
  }, size)
  expect(end).toBe(hash)
})
