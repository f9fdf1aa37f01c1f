import { once } from "node:events"
import { chmod, link, mkdir, open, readdir, readFile, stat, symlink, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import type { IngestOptions } from "../../../src/ingest.ts"
import { randomContent } from "../../ingest/circle.ts"
import { sha256, startBehind, startByHand } from "./by-hand.ts"

type Hand = Awaited<ReturnType<typeof startByHand>> | Awaited<ReturnType<typeof startBehind>>

/** Stores a file by the server API. */
const store = async ({ api }: Pick<Hand, "api">, name: string, content: string | Uint8Array, customId?: string) => {
  const file = Object.assign(new Blob([content as Uint8Array<ArrayBuffer>]), { name, customId })
  const { data, error } = await api.uploadFiles(file)
  if (error !== null) throw error
  return data
}

const read = ({ folder }: Pick<Hand, "folder">, name: string) => readFile(join(folder, name))

const sizeOf = (path: string) =>
  stat(path).then(
    ({ size }) => size,
    () => -1,
  )

/** An ingest whose answers to reads are noted, and cut after some bytes until that is ended. */
const startBreaking = async (settings: Partial<IngestOptions> = {}) => {
  const reads: Array<{ method: string; range?: string | undefined; ifRange?: string | undefined; status: number }> = []
  let plan: { at: number; when: () => Promise<unknown> } | undefined
  let onHead = async (): Promise<void> => {}
  const hand = await startBehind(async (passing) => {
    if (!passing.path.startsWith("/f/")) return
    const { method, asked, status } = passing
    const ifRange = asked["if-range"] as string | undefined
    reads.push({ method, status, ...(asked.range !== undefined && { range: asked.range, ifRange }) })
    if (method === "HEAD") await onHead()
    if (method === "GET" && plan !== undefined) {
      passing.cut = { at: plan.at, when: plan.when() }
      plan = undefined
    }
  }, settings)
  return {
    ...hand,
    reads,
    /** Breaks the next read after some bytes, as soon as they are in a file. */
    breakOnce: (at: number, file: string) => {
      plan = { at, when: () => vi.waitUntil(async () => (await sizeOf(join(hand.folder, file))) >= at, 30_000) }
    },
    /** Lets a download get some bytes, and then ends its process. */
    leavePart: async (key: string, at: number, signal: "SIGINT" | "SIGKILL", out: string) => {
      plan = { at, when: () => new Promise(() => {}) }
      const getting = hand.start(["get", key, "-o", out])
      await vi.waitUntil(async () => (await sizeOf(join(hand.folder, `${out}.part`))) >= at, 30_000)
      getting.child.kill(signal)
      reads.length = 0
      return getting.ended
    },
    afterHead: (change: () => Promise<void>) => (onHead = change),
  }
}

describe("sluice get", { timeout: 60_000 }, () => {
  it("downloads a file that is held where that is said, by its key alone", async () => {
    const hand = await startByHand()
    const { data } = await hand.api.uploadFiles(new File(["hello"], "a.txt"), { labels: { hold: true } })
    const { key } = data!
    const without = await hand.run(["get", key])
    expect([without.code, without.stderr]).toEqual([1, expect.stringMatching(/no such file.*--held/)])
    expect(await hand.run(["get", key, "--held"])).toEqual({ code: 0, stdout: "a.txt\n", stderr: "" })
    expect((await read(hand, "a.txt")).toString()).toBe("hello")
    expect((await hand.run(["get", "c1", "--held"])).code).toBe(1)
  })

  it("downloads a private file under its own name, by key and by custom id", async () => {
    const hand = await startByHand({ defaultAcl: "private" })
    const { key } = await store(hand, "report 😀.pdf", "hello", "report-7")
    expect(await hand.run(["get", key])).toEqual({ code: 0, stdout: "report 😀.pdf\n", stderr: "" })
    expect((await read(hand, "report 😀.pdf")).toString()).toBe("hello")
    await mkdir(join(hand.folder, "there"))
    const { code, stdout } = await hand.run(["get", "report-7", "-o", "there", "--json"])
    expect({ code, answer: JSON.parse(stdout) }).toEqual({
      code: 0,
      answer: {
        key,
        name: "report 😀.pdf",
        path: "there/report 😀.pdf",
        size: 5,
        fileHash: sha256("hello"),
        verified: true,
        resumedAt: 0,
      },
    })
    expect((await readdir(hand.folder)).toSorted()).toEqual(["report 😀.pdf", "there"])
  })

  it("downloads an empty file", async () => {
    const hand = await startByHand()
    const { key } = await store(hand, "empty", "")
    expect(await hand.run(["get", key])).toEqual({ code: 0, stdout: "empty\n", stderr: "" })
    expect(await read(hand, "empty")).toHaveLength(0)
    expect(await hand.run(["get", key, "-o", "-"])).toEqual({ code: 0, stdout: "", stderr: "" })
  })

  it("replaces no file unless it is told to, and nothing that is no file", async () => {
    const hand = await startByHand()
    const { key } = await store(hand, "a.txt", "hello")
    await hand.write("a.txt", "mine")
    for (const args of [[], ["-o", "a.txt"]]) {
      const { code, stderr } = await hand.run(["get", key, ...args])
      expect({ code, stderr }).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/^sluice: a\.txt already exists/),
      })
      expect((await read(hand, "a.txt")).toString()).toBe("mine")
    }
    expect((await hand.run(["get", key, "--force"])).code).toBe(0)
    expect((await read(hand, "a.txt")).toString()).toBe("hello")
    const device = await hand.run(["get", key, "-o", "/dev/null", "--force"])
    expect(device).toMatchObject({ code: 1, stderr: expect.stringContaining("/dev/null is not a regular file") })
    await symlink("nowhere", join(hand.folder, "link"))
    expect(await hand.run(["get", key, "-o", "link"])).toMatchObject({ code: 1, stdout: "" })
    expect((await readdir(hand.folder)).toSorted()).toEqual(["a.txt", "link"])
  })

  it.each([
    ["../../x", "x"],
    ["/etc/cron.d/job", "job"],
    ["..\\..\\boot.ini", "boot.ini"],
    [".bashrc", "_bashrc"],
    ["-rf", "_rf"],
    ["CON.txt", "_CON.txt"],
    ["a\nb\u001b[31m\u202e.exe", "a_b_[31m_.exe"],
    ["🎉".repeat(250), "🎉".repeat(50)],
  ])("keeps a file that is stored as %j in its folder", async (name, expected) => {
    const hand = await startByHand()
    const { key } = await store(hand, name, "hello")
    const { code, stdout } = await hand.run(["get", key, "--json"])
    expect(code).toBe(0)
    expect(JSON.parse(stdout).path).toBe(expected)
    expect(await readdir(hand.folder)).toEqual([expected])
  })

  it("goes on where the bytes end when the connection breaks", async () => {
    const hand = await startBreaking()
    const content = randomContent(1_000_000)
    const { key } = await store(hand, "large.bin", content)
    hand.breakOnce(300_000, "large.bin.part")
    const { code, stdout } = await hand.run(["get", key])
    expect({ code, stdout }).toEqual({ code: 0, stdout: "large.bin\n" })
    expect(sha256(await read(hand, "large.bin"))).toBe(sha256(content))
    expect(hand.reads).toEqual([
      { method: "HEAD", status: 200 },
      { method: "GET", status: 200 },
      { method: "GET", status: 206, range: "bytes=300000-", ifRange: expect.stringMatching(/^"/) },
    ])
  })

  it.each(["SIGINT", "SIGKILL"] as const)(
    "leaves a part when %s ends it, which the next one resumes",
    async (signal) => {
      const hand = await startBreaking()
      const content = randomContent(1_000_000)
      const { key } = await store(hand, "large.bin", content)
      const ended = await hand.leavePart(key, 400_000, signal, "here.bin")
      if (signal === "SIGINT") {
        expect(ended).toEqual({
          code: 130,
          stdout: "",
          stderr: "sluice: 400000 bytes are in here.bin.part; the same command resumes it.\n",
        })
      }
      expect((await readdir(hand.folder)).toSorted()).toEqual(["here.bin.part", "here.bin.part.json"])
      // What was written last may be lost with the machine.
      await truncate(join(hand.folder, "here.bin.part"), 123_456)
      const { code, stdout } = await hand.run(["get", key, "-o", "here.bin", "--json"])
      expect({ code, answer: JSON.parse(stdout) }).toMatchObject({
        code: 0,
        answer: { resumedAt: 123_456, verified: true },
      })
      expect(sha256(await read(hand, "here.bin"))).toBe(sha256(content))
      expect(hand.reads).toEqual([
        { method: "HEAD", status: 200 },
        { method: "GET", status: 206, range: "bytes=123456-", ifRange: expect.stringMatching(/^"/) },
      ])
      expect(await readdir(hand.folder)).toEqual(["here.bin"])
    },
  )

  it("downloads all of it where the part was damaged", async () => {
    const hand = await startBreaking()
    const content = randomContent(500_000)
    const { key } = await store(hand, "large.bin", content)
    await hand.leavePart(key, 200_000, "SIGKILL", "a.bin")
    await writeFile(join(hand.folder, "a.bin.part"), Buffer.alloc(200_000))
    const { code, stdout, stderr } = await hand.run(["get", key, "-o", "a.bin", "--json"])
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining("was damaged") })
    expect(JSON.parse(stdout)).toMatchObject({ resumedAt: 0, verified: true })
    expect(sha256(await read(hand, "a.bin"))).toBe(sha256(content))
    expect(hand.reads.map(({ status }) => status)).toEqual([200, 206, 200])
  })

  it("takes a part that was complete as it is, after a look at its hash", async () => {
    const hand = await startBreaking()
    const content = randomContent(100_000)
    const { key } = await store(hand, "large.bin", content)
    await hand.leavePart(key, 50_000, "SIGKILL", "a.bin")
    await writeFile(join(hand.folder, "a.bin.part"), content)
    expect((await hand.run(["get", key, "-o", "a.bin"])).code).toBe(0)
    expect(hand.reads.map(({ method }) => method)).toEqual(["HEAD"])
    expect(sha256(await read(hand, "a.bin"))).toBe(sha256(content))
  })

  it.each([
    ["has another name as well", (part: string) => link(part, `${part}.link`)],
    ["everybody may write", (part: string) => chmod(part, 0o666)],
  ])("begins anew where the part %s, and leaves that one alone", async (_, share) => {
    const hand = await startBreaking()
    const content = randomContent(500_000)
    const { key } = await store(hand, "large.bin", content)
    await hand.leavePart(key, 200_000, "SIGKILL", "a.bin")
    const part = join(hand.folder, "a.bin.part")
    const there = await open(part)
    onTestFinished(() => there.close())
    const { size } = await there.stat()
    await share(part)
    const { code, stdout } = await hand.run(["get", key, "-o", "a.bin", "--json"])
    expect({ code, answer: JSON.parse(stdout) }).toMatchObject({ code: 0, answer: { resumedAt: 0, verified: true } })
    expect(sha256(await read(hand, "a.bin"))).toBe(sha256(content))
    expect((await there.stat()).size).toBe(size)
  })

  it("begins anew where another file has the custom id by now", async () => {
    const hand = await startBreaking()
    await store(hand, "a.bin", randomContent(500_000), "nightly")
    await hand.leavePart("nightly", 200_000, "SIGKILL", "a.bin")
    const content = randomContent(500_000)
    await store(hand, "a.bin", content, "nightly")
    const { code, stdout } = await hand.run(["get", "nightly", "-o", "a.bin", "--json"])
    expect({ code, answer: JSON.parse(stdout) }).toMatchObject({ code: 0, answer: { resumedAt: 0, verified: true } })
    expect(sha256(await read(hand, "a.bin"))).toBe(sha256(content))
  })

  it("takes the whole that If-Range gives when the file is changed just before it is read", async () => {
    const hand = await startBreaking()
    const content = randomContent(500_000)
    const { key } = await store(hand, "a.bin", content)
    await hand.leavePart(key, 200_000, "SIGKILL", "a.bin")
    hand.afterHead(async () => void (await hand.api.renameFiles({ fileKey: key, newName: "b.bin" })))
    const { code, stdout } = await hand.run(["get", key, "-o", "a.bin", "--json"])
    expect({ code, answer: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      answer: { resumedAt: 0, verified: true, name: "b.bin" },
    })
    expect(hand.reads, JSON.stringify(hand.reads)).toMatchObject([
      { method: "HEAD" },
      { range: "bytes=200000-", status: 200 },
    ])
    expect(sha256(await read(hand, "a.bin"))).toBe(sha256(content))
  })

  it("resumes a file that was only renamed meanwhile", async () => {
    const hand = await startBreaking()
    const { key } = await store(hand, "a.bin", randomContent(500_000))
    await hand.leavePart(key, 200_000, "SIGKILL", "a.bin")
    await hand.api.renameFiles({ fileKey: key, newName: "b.bin" })
    const { stdout } = await hand.run(["get", key, "-o", "a.bin", "--json"])
    expect(JSON.parse(stdout)).toMatchObject({ resumedAt: 200_000, verified: true })
    expect(hand.reads.map(({ status }) => status)).toEqual([200, 206])
  })

  it("leaves a part alone that it has not made", async () => {
    const hand = await startByHand()
    const { key } = await store(hand, "a.txt", "hello")
    await hand.write("a.txt.part", "mine")
    const { code, stderr } = await hand.run(["get", key])
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("a.txt.part is in the way") })
    expect((await read(hand, "a.txt.part")).toString()).toBe("mine")
    await symlink("elsewhere", join(hand.folder, "b.part"))
    await hand.write("b.part.json", JSON.stringify({ etag: '"x"', size: 5 }))
    expect(await hand.run(["get", key, "-o", "b"])).toMatchObject({ code: 1 })
    expect((await hand.run(["get", key, "-o", "b", "--force"])).code).toBe(0)
    expect((await readdir(hand.folder)).toSorted()).toEqual(["a.txt.part", "b"])
  })

  it("replaces no file that came while it downloaded", async () => {
    const hand = await startBreaking()
    const { key } = await store(hand, "a.txt", "hello")
    hand.breakOnce(2, "a.txt.part")
    const getting = hand.start(["get", key])
    await vi.waitUntil(async () => (await sizeOf(join(hand.folder, "a.txt.part"))) >= 0, 30_000)
    await hand.write("a.txt", "mine")
    const { code, stderr } = await getting.ended
    expect({ code, stderr }).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("a.txt was made by somebody else"),
    })
    expect((await read(hand, "a.txt")).toString()).toBe("mine")
  })

  it("keeps nothing of what has another hash, and says so, on standard output too", async () => {
    const hand = await startBehind((passing) => {
      if (passing.method === "GET" && passing.path.startsWith("/f/")) passing.body = Buffer.from("jello")
    })
    const { key } = await store(hand, "a.txt", "hello")
    const { code, stdout, stderr } = await hand.run(["get", key])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/^sluice: What arrived of \S+ is not what is stored: .*files verify.*\n$/)
    expect(await readdir(hand.folder)).toEqual([])
    const piped = await hand.run(["get", key, "-o", "-"])
    expect(piped).toMatchObject({ code: 1, stdout: "jello\n", stderr })
  })

  it("takes a file of which nobody says the hash only when it is told to", async () => {
    const hand = await startByHand({ hash: false })
    const { key } = await store(hand, "a.txt", "hello")
    const { code, stderr } = await hand.run(["get", key])
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining("--no-verify") })
    expect(await readdir(hand.folder)).toEqual([])
    const taken = await hand.run(["get", key, "--no-verify", "--json"])
    expect(taken).toMatchObject({ code: 0, stderr: expect.stringContaining("was not compared") })
    expect(JSON.parse(taken.stdout)).toMatchObject({ verified: false, fileHash: sha256("hello") })
  })

  it.each([
    ["a redirect", { status: 302, headers: { location: "/login" } }, "it is a redirect"],
    ["a page", { status: 200, headers: { "content-type": "text/html" } }, "it has no strong ETag"],
  ])("takes %s of a proxy for no file", async (_, answer, said) => {
    const hand = await startBehind((passing) => {
      if (!passing.path.startsWith("/f/")) return
      for (const name of [...passing.headers.keys()]) passing.headers.delete(name)
      passing.status = answer.status
      for (const [name, value] of Object.entries(answer.headers)) passing.headers.set(name, value)
      passing.body = Buffer.from("Sign in")
    })
    const { key } = await store(hand, "a.txt", "hello")
    const { code, stderr } = await hand.run(["get", key, "--no-verify"])
    expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(said) })
    expect(await readdir(hand.folder)).toEqual([])
  })

  it("writes to standard output, byte by byte, and stops when nobody reads", async () => {
    const hand = await startByHand()
    const content = "0123456789\n".repeat(300_000)
    const { key } = await store(hand, "a.txt", content)
    const { code, stdout, stderr } = await hand.run(["get", key, "-o", "-"])
    expect({ code, stderr, same: stdout === content }).toEqual({ code: 0, stderr: "", same: true })
    const unread = hand.start(["get", key, "-o", "-"])
    unread.child.stdout!.destroy()
    const [ended] = await once(unread.child, "exit")
    expect({ ended, ...unread.printed() }).toMatchObject({
      ended: 1,
      stderr: expect.stringContaining("nobody reads it any more"),
    })
    expect(await hand.run(["get", key, "-o", "-", "--json"])).toMatchObject({ code: 2 })
  })

  it("says in one line what there is not", async () => {
    const hand = await startByHand()
    const { code, stdout, stderr } = await hand.run(["get", "nothing"])
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toMatch(/^sluice: .*\n$/)
    const { key } = await store(hand, "a.txt", "hello")
    const nowhere = await hand.run(["get", key, "-o", "no/such/folder"])
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("no/such/folder.part cannot be written") })
  })
})
