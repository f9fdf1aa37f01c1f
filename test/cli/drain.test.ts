import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { createGrant, listen, offsetOf, putRaw, register, sign, token } from "../ingest/circle.ts"
import { createPacedBody } from "../ingest/upload/paced-body.ts"
import { startCommand } from "./run-command.ts"

const startIngest = async (data: string) => {
  const command = startCommand(["ingest", "--json", "--port", "0", "--data", data], { env: { SLUICE_TOKEN: token } })
  onTestFinished(async () => {
    command.child.kill("SIGKILL")
    await command.ended
  })
  const { url } = JSON.parse(await command.line((line) => line.includes('"listening"')))
  return { ...command, url: url as string }
}

it("SIGTERM ends streams at once, lets uploads and callbacks end within the grace, keeps the bytes of an upload that does not", async () => {
  const data = await mkdtemp(join(tmpdir(), "sluice-drain-"))
  onTestFinished(() => rm(data, { recursive: true }))
  const silent = await listen(() => {})
  const ingest = await startIngest(data)
  const [dev, waiting] = [createGrant({ slug: "avatar" }), createGrant({ slug: "avatar" })]
  // Too large for the catalog, so that the disk says when they have begun.
  const [ending, stuck] = [createGrant({ size: 70_000 }), createGrant({ size: 70_000 })]

  const stream = await register(ingest.url, { fileKeys: [dev.key], callbackUrl: silent, isDev: true })
  await register(ingest.url, { fileKeys: [waiting.key], callbackUrl: silent })
  const waits = putRaw(await sign(ingest.url, waiting), "hello")
  const [half, stall] = [createPacedBody("x".repeat(60_000)), createPacedBody("y".repeat(50_000))]
  const ends = putRaw(await sign(ingest.url, ending), half.body)
  const sticks = putRaw(await sign(ingest.url, stuck), stall.body)
  // A HEAD would stop the writers.
  const list = () => readdir(join(data, "files"), { recursive: true }).catch(() => [])
  await expect.poll(async () => (await list()).filter((name) => name.includes("/")).length).toBe(2)

  ingest.child.kill("SIGTERM")
  expect(await stream.text()).toBe("\n")
  half.end("x".repeat(10_000))
  expect((await ends).status).toBe(200)
  expect((await waits).status).toBe(503)
  const broken = await sticks
  expect([broken.status, (await broken.json()).code]).toEqual([503, "INGEST_UNAVAILABLE"])
  const { code, stderr } = await ingest.ended
  expect(code).toBe(0)
  expect(stderr).not.toContain("failed unexpectedly")

  const again = await startIngest(data)
  expect(await offsetOf(await sign(again.url, stuck))).toBe(50_000)
  expect(await offsetOf(await sign(again.url, ending))).toBe(70_000)
})
