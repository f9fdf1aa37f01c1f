import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, expect, it } from "vitest"
import { lockDataFolder } from "../../src/cli/deployment/data-folder-lock.ts"
import { runCommand, startCommand } from "./run-command.ts"

let data: string
beforeEach(async () => {
  data = await mkdtemp(join(tmpdir(), "sluice-lock-"))
})
afterEach(() => rm(data, { recursive: true }))

it("a data folder has one owner until it is released", () => {
  const release = lockDataFolder(data)
  expect(() => lockDataFolder(data)).toThrow(`Another ingest is running on the data folder ${data}.`)
  release()
  lockDataFolder(data)()
})

it("a second ingest on a data folder is refused in one line and changes nothing; the lock dies with its process", async () => {
  const args = ["ingest", "--json", "--port", "0", "--data", data]
  const first = startCommand(args)
  const { url } = JSON.parse(await first.line((line) => line.includes('"listening"')))
  const second = await runCommand(args)
  expect(second.code).toBe(1)
  expect(second.stderr.trimEnd()).not.toContain("\n")
  expect(JSON.parse(second.stderr)).toMatchObject({
    level: "error",
    message: `Another ingest is running on the data folder ${data}. Stop it, or give this one a folder of its own with --data.`,
  })
  const { stdout } = await runCommand(["token", "explain", "--data", data, "--json"])
  expect(stdout).toContain(url)

  first.child.kill("SIGKILL")
  await first.ended
  const third = startCommand(args)
  await third.line((line) => line.includes('"listening"'))
  third.child.kill("SIGTERM")
  expect((await third.ended).code).toBe(0)
})
