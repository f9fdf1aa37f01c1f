import { existsSync } from "node:fs"
import { rm } from "node:fs/promises"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { call } from "../ingest/rest/rest-app.ts"
import { createGrant, putRaw, register, sign, token } from "../ingest/circle.ts"
import { startDouble } from "../ingest/storage/s3/start-double.ts"
import { fillDisk } from "../fill-disk.ts"
import { makeFolder } from "../make-folder.ts"
import { mountTmpfs } from "../mount-tmpfs.ts"
import { runCommand, startCommand } from "./run-command.ts"

const bucketKeys = { id: "AKIDOUBLE", secret: "double-secret" }

const env = {
  SLUICE_TOKEN: token,
  SLUICE_S3_ACCESS_KEY_ID: bucketKeys.id,
  SLUICE_S3_SECRET_ACCESS_KEY: bucketKeys.secret,
  SLUICE_SWEEP_INTERVAL: "1",
}

const openBucket = async (): Promise<ReadonlyArray<string>> => {
  const double = await startDouble()
  onTestFinished(() => double.close())
  double.accounts[bucketKeys.id] = { secretAccessKey: bucketKeys.secret }
  return ["--s3-bucket", "double", "--s3-endpoint", double.url, "--s3-region", "test-1"]
}

const start = async (data: string, args: ReadonlyArray<string>) => {
  const command = startCommand(["ingest", "--port", "0", "--data", data, ...args], { env })
  onTestFinished(async () => {
    command.child.kill("SIGKILL")
    await command.ended
  })
  const [, url = ""] = /(http:.*)$/.exec(await command.line((line) => line.includes("Public URL")))!
  await command.line((line) => line.includes("Ctrl-C"))
  return { ...command, url }
}

for (const [where, open] of [
  ["on disk", async () => []],
  ["in a bucket", openBucket],
] as const) {
  it(`an ingest with its files ${where} whose disk was filled starts again, and files are deleted`, async (test) => {
    const folder = await makeFolder()
    mountTmpfs(test, folder, "size=160m")
    const args = await open()
    const data = join(folder, "data")
    const first = await start(data, args)
    const keys: Array<string> = []
    for (let i = 0; i < 200; i++) {
      const grant = createGrant({ size: 50_000, type: "application/octet-stream" })
      const answer = await putRaw(await sign(first.url, grant), new Uint8Array(grant.size))
      expect(answer.status).toBe(200)
      keys.push(grant.key)
    }
    await expect.poll(() => existsSync(join(data, "spare-room"))).toBe(true)
    fillDisk(folder)
    await expect.poll(async () => (await fetch(`${first.url}/ready`)).status, { timeout: 5000 }).toBe(503)
    expect((await register(first.url, { fileKeys: [createGrant().key] })).status).toBe(503)
    first.child.kill("SIGTERM")
    expect((await first.ended).code).toBe(0)
    // What its end has given back.
    fillDisk(folder)
    expect(existsSync(join(data, "spare-room"))).toBe(true)

    const second = await start(data, args)
    expect((await fetch(`${second.url}/ready`)).status).toBe(503)
    expect((await putRaw(await sign(second.url, createGrant()), "hello")).status).toBe(503)
    const deleted = await call(second.url, "deleteFiles", { fileKeys: keys })
    expect([deleted.status, (await deleted.json()).deletedCount]).toEqual([200, 200])
    second.child.kill("SIGTERM")
    const { code, stderr } = await second.ended
    expect(code, stderr).toBe(0)
  })
}

it("an ingest that has no room to start says that its disk is full, and to leave its data as they are", async (test) => {
  const folder = await makeFolder()
  mountTmpfs(test, folder, "size=40m")
  const args = await openBucket()
  const data = join(folder, "data")
  const first = await start(data, args)
  first.child.kill("SIGTERM")
  await first.ended
  await rm(join(data, "spare-room"), { force: true })
  fillDisk(folder)
  const { ended } = startCommand(["ingest", "--port", "0", "--data", data, ...args], { env })
  const { code, stderr } = await ended
  expect(code).toBe(1)
  expect(stderr).toContain("its disk is full")
  expect(stderr).toContain(`leave everything in ${data} as it is`)
  expect(stderr).not.toContain("move that file away")
  const made = await runCommand(["apps", "create", "acme", "--data", data])
  expect([made.code, made.stdout]).toEqual([1, ""])
  expect(made.stderr).toMatch(/^sluice: .* full/)
  expect(made.stderr).not.toContain("    at ")
})

for (const isRunning of [true, false]) {
  it(`the first backup of a data folder whose disk is full, ${isRunning ? "with" : "without"} its ingest, goes to another disk`, async (test) => {
    const folder = await makeFolder()
    const backup = join(await makeFolder(), "backup")
    mountTmpfs(test, folder, "size=160m")
    const data = join(folder, "data")
    const ingest = await start(data, [])
    const grant = createGrant({ size: 50_000, type: "application/octet-stream" })
    expect((await putRaw(await sign(ingest.url, grant), new Uint8Array(grant.size))).status).toBe(200)
    await expect.poll(() => existsSync(join(data, "spare-room"))).toBe(true)
    if (!isRunning) {
      ingest.child.kill("SIGTERM")
      await ingest.ended
    }
    fillDisk(folder)
    for (let times = 0; times < 2; times++) {
      const made = await runCommand(["backup", backup, "--data", data], { env })
      expect(made).toMatchObject({ code: 0 })
    }
    expect(await runCommand(["backup", "verify", backup], { env })).toMatchObject({ code: 0 })
    // The catalog has what it needs to free space.
    expect(existsSync(join(data, "spare-room"))).toBe(true)
  })
}
