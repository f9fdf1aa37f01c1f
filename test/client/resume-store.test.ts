import { createHash, randomBytes } from "node:crypto"
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest"
import {
  generateUploader,
  type TypedFileRouter,
  type UploaderOptions,
  type ResumeEntry,
  type ResumeStore,
} from "../../src/client.ts"
import { createResumeStore } from "../../src/resume.ts"
import { type Peer, startPeer } from "./peer.ts"

let peer: Peer
beforeEach(async () => {
  peer = await startPeer()
})
afterEach(() => peer.close())

const bytes = new Uint8Array(randomBytes(400_000))
const hash = createHash("sha256").update(bytes).digest("hex")
const file = (name: string) => new File([bytes], name, { lastModified: 1 })
const never = new Promise<never>(() => {})

/** An implementation of the port as a user might write one: by the name of the file, in memory. */
const rememberByName = () => {
  const kept = new Map<string, NonNullable<ResumeEntry["kept"]>>()
  const locks = new Map<string, Promise<unknown>>()
  const resumeStore: ResumeStore = {
    open: async ({ url, slug, file: { name } }) => {
      expect([url, slug]).toEqual([peer.url, "any"])
      return {
        kept: kept.get(name),
        keep: async (upload) => {
          const present = kept.get(name)
          if (present === undefined || present.key === upload.key) kept.set(name, upload)
          return kept.get(name)!
        },
        exclusively: async (work, _, onWait) => {
          if (locks.has(name)) onWait()
          const before = locks.get(name)
          const after = Promise.resolve(before).then(work)
          const lock = after.catch(() => {}).finally(() => locks.get(name) === lock && locks.delete(name))
          locks.set(name, lock)
          return after
        },
        forget: async () => void kept.delete(name),
      }
    },
    list: async () => [],
    remove: async () => {},
    attachHandle: () => {},
  }
  return { resumeStore, kept, locks }
}

const uploader = (resumeStore: ResumeStore, options: UploaderOptions = {}) =>
  generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1, attempts: 2 }, resumeStore, ...options })

/** Uploads a part of each file and pauses there, as a page that is left does. */
const interrupt = async (resumeStore: ResumeStore, ...names: ReadonlyArray<string>) => {
  for (const name of names) peer.fail("PUT", name, { stallAfter: 100_000, until: never })
  const upload = uploader(resumeStore).createUpload("any", { files: names.map((name) => file(name)) })
  await peer.until(() => names.every((name) => peer.storedOf(name) >= 100_000))
  upload.pauseUpload()
  await upload.done()
}
const posts = () => peer.seen.filter(({ at }) => at === "app").map(({ body }) => body)

describe("with a resume store", () => {
  test("what is kept goes on at its URL, and only the others are asked for, in one request", async () => {
    const { resumeStore, kept } = rememberByName()
    await interrupt(resumeStore, "a", "b")
    const offset = peer.storedOf("a")
    const starts = new Map<string, number>()
    const outcomes = await uploader(resumeStore).uploadFiles("any", {
      files: ["a", "c", "b", "d"].map((name) => file(name)),
      onEvent: (event) => event.type === "begin" && starts.set(event.file.name, event.offset),
    })
    expect(outcomes.map((outcome) => outcome.status === "done" && outcome.fileHash)).toEqual([hash, hash, hash, hash])
    expect(posts()).toMatchObject([
      { files: [{ name: "a" }, { name: "b" }] },
      { files: [{ name: "c" }, { name: "d" }] },
    ])
    expect(peer.trace("a").slice(-2)).toEqual(["HEAD", `PUT bytes=${offset}-`])
    expect(peer.trace("c")).toEqual(["PUT bytes=0-"])
    expect(starts.get("a")).toBe(offset)
    expect(kept.size).toBe(0)
  })

  test("a kept URL that has expired is renewed, and the new one is kept", async () => {
    const { resumeStore, kept } = rememberByName()
    await interrupt(resumeStore, "a")
    const before = kept.get("a")!
    peer.expire("a")
    peer.fail("PUT", "a", { stallAfter: 100_000, until: never })
    const upload = uploader(resumeStore).createUpload("any", { files: [file("a")] })
    await peer.until(() => peer.storedOf("a") >= 200_000)
    expect(kept.get("a")).toMatchObject({ key: before.key })
    expect(kept.get("a")!.url).not.toBe(before.url)
    upload.pauseUpload()
    upload.resumeUpload()
    expect(await upload.done()).toMatchObject([{ status: "done", key: before.key, fileHash: hash }])
  })

  test("a kept URL that is refused for good is forgotten: the file begins anew, once", async () => {
    const { resumeStore } = rememberByName()
    await interrupt(resumeStore, "a")
    peer.lose("a")
    const [outcome] = await uploader(resumeStore).uploadFiles("any", { files: [file("a")] })
    expect(outcome).toMatchObject({ status: "done", key: "key1", fileHash: hash })
    await interrupt(resumeStore, "b")
    peer.lose("b")
    peer.fail("PUT", "b", { status: 403 })
    const [second] = await uploader(resumeStore).uploadFiles("any", { files: [file("b")] })
    expect(second).toMatchObject({ status: "failed", error: { code: "FORBIDDEN" } })
  })

  test("what is kept is ended at the ingest when it is aborted before its turn", async () => {
    const { resumeStore, kept } = rememberByName()
    await interrupt(resumeStore, "a", "b")
    peer.fail("PUT", "a", { stallAfter: 50_000, until: never })
    const { length } = peer.trace("a")
    const upload = uploader(resumeStore, { concurrency: 1 }).createUpload("any", { files: [file("a"), file("b")] })
    await peer.until(() => peer.trace("a").length === length + 2)
    upload.abortUpload()
    await upload.done()
    await peer.until(() => peer.trace("b").includes("DELETE"))
    expect(peer.trace("b")).toEqual(["PUT bytes=0-", "DELETE"])
    expect(kept.size).toBe(0)
  })

  test.each([
    ["is done", async () => {}, {}, 0],
    ["is refused", async () => peer.fail("PUT", "a", { status: 415 }), {}, 0],
    ["is aborted", async () => {}, { signal: true }, 0],
    ["cannot be reached", async () => peer.fail("PUT", "a", { cutAfter: 0 }, { cutAfter: 0 }), {}, 1],
  ])("an upload that %s", async (_, prepare, { signal }: { signal?: boolean }, left) => {
    const { resumeStore, kept } = rememberByName()
    await prepare()
    const controller = new AbortController()
    await uploader(resumeStore).uploadFiles("any", {
      files: [file("a")],
      signal: controller.signal,
      onUploadBegin: () => {
        expect(kept.size).toBe(1)
        if (signal) controller.abort()
      },
    })
    expect(kept.size).toBe(left)
  })

  test("a file another tab has waits for it, without a place in line; then it has the same result", async () => {
    const { resumeStore, kept } = rememberByName()
    const hold = Promise.withResolvers<void>()
    peer.fail("PUT", "a", { hold: hold.promise })
    const first = uploader(resumeStore).uploadFiles("any", { files: [file("a")] })
    await peer.until(() => peer.inFlight === 1)
    const reasons: Array<string> = []
    const [a, b] = [file("a"), file("b")]
    const second = uploader(resumeStore, { concurrency: 1 }).createUpload("any", {
      files: [a, b],
      onEvent: (event) => event.type === "wait" && reasons.push(`${event.file.name} ${event.reason}`),
    })
    expect(await second.done(b)).toMatchObject({ status: "done" })
    expect(reasons).toEqual(["a locked"])
    hold.resolve()
    const [done] = await first
    const again = await second.done(a)
    expect(done).toMatchObject({ status: "done", key: "key0" })
    expect(again).toMatchObject({ status: "done", key: "key0", fileHash: hash })
    expect(peer.trace("a")).toEqual(["PUT bytes=0-", "HEAD", `PUT bytes=${bytes.length}-`])
    expect(kept.size).toBe(0)
  })

  test("who gives up waiting for another tab leaves its upload alone", async () => {
    const { resumeStore, kept } = rememberByName()
    const hold = Promise.withResolvers<void>()
    peer.fail("PUT", "a", { hold: hold.promise })
    const first = uploader(resumeStore).uploadFiles("any", { files: [file("a")] })
    await peer.until(() => peer.inFlight === 1)
    const second = uploader(resumeStore).createUpload("any", {
      files: [file("a")],
      onEvent: (event) => event.type === "wait" && second.abortUpload(),
    })
    expect(await second.done()).toMatchObject([{ status: "aborted" }])
    expect(kept.size).toBe(1)
    hold.resolve()
    expect(await first).toMatchObject([{ status: "done" }])
  })

  test("after a pause and a resume in one breath, the end of the first run is told before anything of the second", async () => {
    const { resumeStore } = rememberByName()
    peer.fail("PUT", "a", { stallAfter: 100_000, until: never })
    const events: Array<string> = []
    const upload = uploader(resumeStore).createUpload("any", {
      files: [file("a")],
      onEvent: (event) => event.type !== "progress" && events.push(event.type),
    })
    await peer.until(() => peer.storedOf("a") >= 100_000)
    upload.pauseUpload()
    upload.resumeUpload()
    await upload.done()
    expect(events.filter((type) => type !== "wait")).toEqual(["begin", "end", "begin", "end"])
    expect(events.slice(0, 2)).toEqual(["begin", "end"])
  })

  test("a failure for good is told when the file is forgotten, so that a reload at once does not offer it again", async () => {
    const { resumeStore, kept } = rememberByName()
    const open: ResumeStore["open"] = async (options) => {
      const entry = await resumeStore.open(options)
      return { ...entry, forget: () => new Promise((resolve) => setTimeout(resolve, 50)).then(() => entry.forget()) }
    }
    peer.fail("PUT", "a", { status: 415, body: { code: "CONTENT_MISMATCH", detail: "No." } })
    let keptAtEnd: number | undefined
    const [outcome] = await uploader({ ...resumeStore, open }).uploadFiles("any", {
      files: [file("a")],
      onEvent: ({ type }) => type === "end" && (keptAtEnd = kept.size),
    })
    expect(outcome).toMatchObject({ status: "failed", error: { code: "CONTENT_MISMATCH" } })
    expect(keptAtEnd).toBe(0)
  })

  test("another tab that was a moment faster is joined", async () => {
    const { resumeStore } = rememberByName()
    const [first, second] = await Promise.all([
      uploader(resumeStore).uploadFiles("any", { files: [file("a")] }),
      uploader(resumeStore).uploadFiles("any", { files: [file("a")] }),
    ])
    expect(first).toMatchObject([{ status: "done", fileHash: hash }])
    expect(second).toMatchObject([{ key: first[0]!.status === "done" && first[0]!.key }])
    const bodies = peer.seen.filter(({ method }) => method === "PUT").map(({ headers }) => headers["content-length"])
    expect(new Set(bodies)).toEqual(new Set(["0", String(bytes.length)]))
    expect(bodies).toHaveLength(2)
  })

  const broken = () => {
    throw new Error("broken")
  }
  const rejecting = async () => broken()
  test.each<[string, Partial<ResumeEntry> | undefined]>([
    ["open", undefined],
    ["keep", { keep: rejecting }],
    ["keep, at once", { keep: broken }],
    ["exclusively", { exclusively: rejecting }],
    ["exclusively, after the work", { exclusively: async (work) => (await work(), broken()) }],
    ["forget", { forget: rejecting }],
  ])("an implementation whose %s fails does not touch the upload", async (_, parts) => {
    const { resumeStore } = rememberByName()
    const open: ResumeStore["open"] = async (options) =>
      parts === undefined ? broken() : { ...(await resumeStore.open(options)), ...parts }
    const outcomes = await uploader({ ...resumeStore, open }).uploadFiles("any", { files: [file("a")] })
    expect(outcomes).toMatchObject([{ status: "done", fileHash: hash }])
    expect(peer.trace("a")).toEqual(["PUT bytes=0-"])
  })
})

test("what is cancelled while the app is asked for its URL is not remembered when the answer comes", async () => {
  const { resumeStore, kept } = rememberByName()
  const asked = Promise.withResolvers<void>()
  const cancelled = Promise.withResolvers<void>()
  const names: Array<string> = []
  const files = [file("a"), file("b")]
  const upload = uploader(
    {
      ...resumeStore,
      open: async (options) => {
        const entry = await resumeStore.open(options)
        const { name } = options.file
        return { ...entry, keep: async (upload) => entry.keep((names.push(name), upload)) }
      },
    },
    {
      headers: async () => {
        asked.resolve()
        await cancelled.promise
        return {}
      },
    },
  ).createUpload("any", { files })
  await asked.promise
  upload.abortUpload(files[0])
  cancelled.resolve()
  expect(await upload.done()).toMatchObject([{ status: "aborted" }, { status: "done" }])
  expect([names, [...kept]]).toEqual([["b"], []])
})

test("where nothing can be kept, createResumeStore keeps nothing and fails nothing", async () => {
  const resumeStore = createResumeStore()
  const outcomes = await uploader(resumeStore).uploadFiles("any", { files: [file("a")] })
  expect(outcomes).toMatchObject([{ status: "done", fileHash: hash }])
  expect(await resumeStore.list()).toEqual([])
  await resumeStore.remove("nothing")
})

test("where a page may not even ask for IndexedDB, createResumeStore keeps nothing, fails nothing, and makes one store", async () => {
  Object.defineProperty(globalThis, "indexedDB", {
    configurable: true,
    get: () => {
      throw new DOMException("The document is sandboxed", "SecurityError")
    },
  })
  onTestFinished(() => void Reflect.deleteProperty(globalThis, "indexedDB"))
  const resumeStore = createResumeStore({ name: "forbidden" })
  expect(createResumeStore({ name: "forbidden" })).toBe(resumeStore)
  const outcomes = await uploader(resumeStore).uploadFiles("any", { files: [file("a")] })
  expect(outcomes).toMatchObject([{ status: "done", fileHash: hash }])
  expect(await resumeStore.list()).toEqual([])
  await resumeStore.remove("nothing")
})
