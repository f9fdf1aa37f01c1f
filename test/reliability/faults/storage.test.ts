import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { mkdir, readdir, rename, rm, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { describe, expect, it, onTestFinished } from "vitest"
import { runCommand, startCommand } from "../../cli/run-command.ts"
import { captureConsole } from "../../ingest/capture-console.ts"
import { answerWith, offsetOf, putRaw, startApp, token } from "../../ingest/circle.ts"
import { makeFolder } from "../../make-folder.ts"
import { mountTmpfs } from "../../mount-tmpfs.ts"
import { codeOf, goOn, grantFile, startIngestOnDisk } from "./ingest-on-disk.ts"

/** Writes until nothing more fits. */
const fill = async (folder: string): Promise<() => Promise<void>> => {
  const file = join(folder, "filler")
  for (let size = 1024 * 1024; size >= 512; size /= 2) {
    for (;;) {
      try {
        await writeFile(file, new Uint8Array(size), { flag: "a" })
      } catch {
        break
      }
    }
  }
  return () => rm(file)
}

/** The files of the blob store. */
const listBlobs = async (folder: string): Promise<ReadonlyArray<string>> =>
  (await readdir(join(folder, "files"), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

const isIntact = (folder: string): unknown => {
  const database = new DatabaseSync(join(folder, "catalog.sqlite"), { readOnly: true })
  try {
    return Object.values(database.prepare("PRAGMA integrity_check").get()!)[0]
  } finally {
    database.close()
  }
}

const startIngestCommand = async (data: string) => {
  const command = startCommand(["ingest", "--port", "0", "--data", data], { env: { SLUICE_TOKEN: token } })
  const [, url = ""] = /(http:.*)$/.exec(await command.line((line) => line.includes("Public URL")))!
  await command.line((line) => line.includes("Ctrl-C"))
  return { ...command, url }
}

describe("a disk that", () => {
  it("is full refuses uploads with a clear error, keeps what it has, and goes on when there is room", async (test) => {
    const disk = await makeFolder()
    mountTmpfs(test, disk, "size=16m")
    const ingest = await startIngestOnDisk({ minimumFree: 0 }, disk)
    const app = await startApp(answerWith("saved"))
    const before = await grantFile(ingest.url, 100_000, app.url)
    await goOn(before)
    const begun = await grantFile(ingest.url, 1_500_000, app.url)
    expect(await codeOf(await putRaw(begun.signed, begun.content.subarray(0, 500_000)))).toBe("409 RANGE_MISMATCH")
    const waiting = await Promise.all([1024, 1_500_000].map((size) => grantFile(ingest.url, size, app.url)))

    const makeRoom = await fill(disk)
    for (const { signed, content } of waiting) {
      const response = await putRaw(signed, content)
      // The catalog gives its log's room back to the disk, in which a small file fits.
      if (content.length === 1024 && response.status === 200) continue
      expect(response.headers.get("content-type")).toBe("application/problem+json")
      const problem = await response.json()
      expect(problem.code).toBe("INGEST_UNAVAILABLE")
      expect(problem.detail).toContain("storage is full")
    }
    expect((await fetch(`${ingest.url}/f/${before.grant.key}`)).status).toBe(200)
    expect(isIntact(disk)).toBe("ok")

    await makeRoom()
    expect((await goOn(begun)).offset).toBe(500_000)
    for (const file of waiting) expect((await goOn(file)).serverData).toBe("saved")
    expect(app.received).toHaveLength(4)
    expect(isIntact(disk)).toBe("ok")
  })

  it("becomes read-only answers 503, serves what it has, and goes on when it can be written", async (test) => {
    const data = await makeFolder()
    const files = join(data, "files")
    await mkdir(files)
    mountTmpfs(test, files, "size=256m")
    const ingest = await startIngestOnDisk({}, data)
    const before = await grantFile(ingest.url, 1024)
    await goOn(before)
    execFileSync("mount", ["-o", "remount,ro", files])
    const [small, large] = await Promise.all([1024, 1_500_000].map((size) => grantFile(ingest.url, size)))
    expect(await codeOf(await putRaw(large!.signed, large!.content))).toBe("503 INGEST_UNAVAILABLE")
    // It is not written there.
    await goOn(small!)
    expect((await fetch(`${ingest.url}/f/${before.grant.key}`)).status).toBe(200)
    execFileSync("mount", ["-o", "remount,rw", files])
    await goOn(large!)
  })

  it("loses its data folder while an ingest runs on it confirms nothing that is lost, and goes on when the folder is back", async () => {
    const said = captureConsole()
    const ingest = await startIngestOnDisk({ logLevel: "Info" })
    const before = [await grantFile(ingest.url, 1024), await grantFile(ingest.url, 100_000)]
    for (const file of before) await goOn(file)
    const [small, large] = [await grantFile(ingest.url, 1024), await grantFile(ingest.url, 100_000)]
    const away = `${ingest.folder}-away`
    await rename(ingest.folder, away)
    onTestFinished(() => rm(away, { recursive: true, force: true }))
    // Twice: what is asked again must not be confirmed because the lost catalog has it by now.
    for (const file of [small, large, small, large]) {
      expect(await codeOf(await putRaw(file.signed, file.content))).toBe("503 INGEST_UNAVAILABLE")
    }
    const ready = await fetch(`${ingest.url}/ready`)
    expect(ready.status).toBe(503)
    expect((await ready.json()).data.checks).toMatchObject({ catalog: "failing", store: "failing" })
    expect(existsSync(ingest.folder)).toBe(false)
    const lost = said.filter((line) => line.includes("was removed, moved or replaced"))
    expect(lost).toHaveLength(1)
    expect(lost[0]).toContain(join(ingest.folder, "catalog.sqlite"))
    expect(lost[0]).toContain("restart the ingest")

    await rename(away, ingest.folder)
    for (const file of [...before, small, large]) await goOn(file)
  })

  it("loses its data folder for good, and another ingest starts on its path, confirms nothing at the first one", async () => {
    const data = await makeFolder()
    const first = await startIngestCommand(data)
    await rm(data, { recursive: true })
    const second = await startIngestCommand(data)
    for (const size of [1024, 100_000]) {
      const { signed, content } = await grantFile(first.url, size)
      expect(await codeOf(await putRaw(signed, content))).toBe("503 INGEST_UNAVAILABLE")
      await goOn(await grantFile(second.url, size))
    }
    for (const { child, ended } of [first, second]) {
      child.kill("SIGTERM")
      expect((await ended).code).toBe(0)
    }
  })

  it("loses the lock of its data folder confirms nothing more, so that a second ingest on it does no harm", async () => {
    const data = await makeFolder()
    const { url, child, ended } = await startIngestCommand(data)
    await rm(join(data, "lock.sqlite"))
    expect((await fetch(`${url}/ready`)).status).toBe(503)
    child.kill("SIGTERM")
    expect((await ended).stderr).toContain(`${join(data, "lock.sqlite")} was removed`)
  })

  it("is read-only when the command starts is named, and the command ends with 1", async (test) => {
    const folder = await makeFolder()
    // Everybody may write in a tmpfs by default, which is another reason to refuse it.
    mountTmpfs(test, folder, "ro,mode=700")
    const { code, stderr } = await runCommand(["ingest", "--port", "0", "--data", folder])
    expect(code).toBe(1)
    expect(stderr).toMatch(new RegExp(`^sluice: The data folder ${folder} cannot be used: .*read-only`, "i"))
  })

  it("has lost a file answers 500 for that one, never other bytes", async () => {
    const ingest = await startIngestOnDisk()
    const [lost, kept] = [await grantFile(ingest.url, 100_000), await grantFile(ingest.url, 100_001)]
    await goOn(lost)
    for (const blob of await listBlobs(ingest.folder)) await rm(blob)
    await goOn(kept)
    expect(await codeOf(await fetch(`${ingest.url}/f/${lost.grant.key}`))).toBe("500 INTERNAL_ERROR")
    expect((await fetch(`${ingest.url}/f/${kept.grant.key}`)).status).toBe(200)
  })

  it("has cut a file short answers 500 where bytes are missing, never fewer bytes as if they were all", async () => {
    const ingest = await startIngestOnDisk()
    const file = await grantFile(ingest.url, 3_000_000)
    await goOn(file)
    for (const blob of await listBlobs(ingest.folder)) await truncate(blob, 2_000_000)
    const url = `${ingest.url}/f/${file.grant.key}`
    expect(await codeOf(await fetch(url))).toBe("500 INTERNAL_ERROR")
    const part = await fetch(url, { headers: { range: "bytes=0-99" } })
    expect(Buffer.compare(Buffer.from(await part.arrayBuffer()), file.content.subarray(0, 100))).toBe(0)
  })

  it("has lost the beginning of an unfinished upload lets it begin anew", async () => {
    const ingest = await startIngestOnDisk()
    const file = await grantFile(ingest.url, 300_000)
    expect(await codeOf(await putRaw(file.signed, file.content.subarray(0, 200_000)))).toBe("409 RANGE_MISMATCH")
    for (const blob of await listBlobs(ingest.folder)) await rm(blob)
    expect(await offsetOf(file.signed)).toBe(0)
    await goOn(file)
  })
})
