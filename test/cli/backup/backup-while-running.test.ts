import { createHash, randomBytes } from "node:crypto"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { names, type Token } from "../../../src/protocol.ts"
import { makeFolder } from "../../make-folder.ts"
import { askCommand, readPrintedToken, type RunningCommand, runCommand, startCommand } from "../run-command.ts"
import { beginUpload, type SentFile, startTraffic, upload } from "./traffic.ts"

interface Running {
  readonly command: RunningCommand
  readonly url: string
}

const start = async (data: string, ...args: ReadonlyArray<string>): Promise<Running> => {
  const command = startCommand(["ingest", "--data", data, "--port", "0", "--json", "--log-level", "None", ...args])
  const line = await command.line((text) => text.includes('"listening"'))
  return { command, url: JSON.parse(line).url }
}

const stop = async ({ command }: Running): Promise<void> => {
  command.child.kill("SIGTERM")
  await command.ended
}

let [folder, data] = ["", ""]
let ingest: Running
let token: Token
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-backup-"))
  data = join(folder, "data")
  // What is deleted goes at once: the bytes too.
  ingest = await start(data, "--sweep-interval", "1s")
  token = readPrintedToken((await readFile(join(data, "token"), "utf8")).trim())
})
afterAll(async () => {
  await stop(ingest)
  await rm(folder, { recursive: true, force: true })
})

/** Every file a data folder claims to store, by key. */
const listStored = async (path: string): Promise<ReadonlyMap<string, string>> => {
  const found = new Map<string, string>()
  for (let cursor: string | null = null; ;) {
    const more: ReadonlyArray<string> = cursor === null ? [] : ["--cursor", cursor]
    const page = await askCommand(["files", "list", "--status", "Uploaded", "--limit", "500", "--data", path, ...more])
    for (const { key, fileHash } of page.files) found.set(key, fileHash)
    cursor = page.nextCursor
    if (cursor === null) return found
  }
}

describe("sluice backup beside an ingest with 16 uploads and deletions under way", () => {
  it.each([
    ["with links to the ingest's own files", []],
    ["with copies", ["--copy"]],
  ])(
    "holds every file that was stored before and none half, %s, each time it is repeated",
    async (_, options) => {
      const [backup, base] = [await makeFolder(), await makeFolder()]
      const files: Array<SentFile> = []
      for (let round = 0; round < 3; round++) {
        const target = round === 2 ? base : backup
        const more = round === 2 ? ["--base", backup] : []
        const traffic = startTraffic(token, ingest.url, 16, files)
        for (const many = files.length + 48; files.length < many;) await sleep(10)
        const before = traffic.tick()
        const made = await askQuietly(["backup", target, "--data", data, ...options, ...more])
        const after = traffic.tick()
        await traffic.stop()
        // It was made while files came.
        expect(after).toBeGreaterThan(before)
        expect(made.leftOut).toEqual([])

        const verified = await askCommand(["backup", "verify", target])
        expect(verified).toMatchObject({ files: made.files, bytes: made.bytes, damaged: [] })
        const restored = join(await makeFolder(), "restored")
        await askCommand(["backup", "restore", target, "--data", restored])
        expect(await askCommand(["files", "verify", "--data", restored])).toMatchObject({
          checked: made.files,
          damaged: [],
        })
        const stored = await listStored(restored)
        expect(stored.size).toBe(made.files)
        for (const file of files) {
          const wasThere = file.stored <= before && (file.deletes === undefined || file.deletes > after)
          const wasGone = file.stored > after || (file.deleted !== undefined && file.deleted <= before)
          if (wasThere) expect(stored.get(file.key), `stored before: ${JSON.stringify(file)}`).toBe(file.hash)
          if (wasGone) expect(stored.has(file.key), `deleted before: ${JSON.stringify(file)}`).toBe(false)
          if (stored.has(file.key)) expect(stored.get(file.key)).toBe(file.hash)
        }
      }
    },
    240_000,
  )
})

/** As `askCommand`, for a command that may warn. */
const askQuietly = async (args: ReadonlyArray<string>): Promise<any> => {
  const { code, stdout, stderr } = await runCommand([...args, "--json"])
  if (code !== 0) throw new Error(`${args.join(" ")} ended with ${code}:\n${stderr}`)
  return JSON.parse(stdout)
}

describe("an ingest on a restored backup", () => {
  it("has the files and the token of before, and takes an unfinished upload from its first byte", async () => {
    const bytes = new Uint8Array(randomBytes(300_000))
    const key = await upload(token, ingest.url, bytes)
    const half = new Uint8Array(randomBytes(3_000_000))
    const begun = await beginUpload(token, ingest.url, half)

    const [backup, restored] = [await makeFolder(), join(await makeFolder(), "restored")]
    await askQuietly(["backup", backup, "--data", data])
    await askCommand(["backup", "restore", backup, "--data", restored])
    const other = await start(restored, "--url", ingest.url)
    try {
      expect(readPrintedToken((await readFile(join(restored, "token"), "utf8")).trim()).apiKey).toBe(token.apiKey)
      const port = JSON.parse(other.command.printed().stdout.split("\n")[0]!).port
      const local = (url: string): string => `http://127.0.0.1:${port}${new URL(url).pathname}${new URL(url).search}`
      const answer = await fetch(local(`${ingest.url}/${names.path.file}/${key}`))
      const sent = new Uint8Array(await answer.arrayBuffer())
      expect(createHash("sha256").update(sent).digest("hex")).toBe(createHash("sha256").update(bytes).digest("hex"))

      const head = await fetch(local(begun), { method: "HEAD" })
      expect([head.status, head.headers.get(names.header.rangeStart)]).toEqual([200, "0"])
      const put = await fetch(local(begun), { method: "PUT", body: half, headers: { range: "bytes=0-" } })
      expect(put.status).toBe(200)
      expect((await put.json()).fileHash).toBe(createHash("sha256").update(half).digest("hex"))
    } finally {
      await stop(other)
    }
  }, 60_000)
})
