import { spawn } from "node:child_process"
import { once } from "node:events"
import { mkdir, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it, onTestFinished } from "vitest"
import { SluiceApi } from "../../../src/api.ts"
import { hasCommand } from "../../deploy/proxies.ts"
import { makeFolder } from "../../make-folder.ts"
import { skipLacking } from "../../skip-lacking.ts"
import { captureConsole } from "../capture-console.ts"
import { eventually, randomContent, startIngest, token } from "../circle.ts"
import { sendHeld } from "./held.ts"

/* A real clamd of ClamAV, with a database of one signature: that of the file with which virus scanners are tried. */

/** In two parts, so that no scanner takes this file for it. */
const eicar = ["X5O!P%@AP[4\\PZX54(P^)7CC)7}$", "EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*"].join("")

/** Whether somebody listens there. */
const answers = async (path: string): Promise<boolean> => {
  const socket = connect(path)
  const isOpen = await Promise.race([
    once(socket, "connect").then(() => true),
    once(socket, "error").then(() => false),
  ]).catch(() => false)
  socket.destroy()
  return isOpen
}

/** Starts one; returns its address as a setting. It ends with the test. */
const startClamd = async (): Promise<string> => {
  const folder = await makeFolder()
  const [socket, database, temporary] = ["clamd.ctl", "database", "temporary"].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  await Promise.all([mkdir(database), mkdir(temporary)])
  await writeFile(join(database, "test.ndb"), `Eicar-Test-Signature:0:0:${Buffer.from(eicar).toString("hex")}\n`)
  const settings = {
    LocalSocket: socket,
    DatabaseDirectory: database,
    TemporaryDirectory: temporary,
    Foreground: "yes",
    StreamMaxLength: "1M",
    LogFile: join(folder, "clamd.log"),
  }
  const file = join(folder, "clamd.conf")
  await writeFile(
    file,
    Object.entries(settings)
      .map((each) => `${each.join(" ")}\n`)
      .join(""),
  )
  const child = spawn("clamd", ["--config-file", file], { stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const exited = once(child, "exit")
  onTestFinished(async () => {
    child.kill("SIGKILL")
    await exited
  })
  while (!(await answers(socket))) {
    if (child.exitCode !== null) throw new Error(`clamd ended:\n${said}`)
    await sleep(50)
  }
  return `unix:${socket}`
}

it("a clamd of ClamAV finds what is in its database, releases the rest, and leaves what is too large for it", async (context) => {
  if (!hasCommand("clamd", "--version")) skipLacking(context, "there is no clamd: apt-get install clamav-daemon")
  const lines = captureConsole()
  const clamd = await startClamd()
  const ingest = await startIngest({ scan: { clamd }, logLevel: "Warning" })
  const api = new SluiceApi({ token, ingestUrl: ingest.url })
  const tooLarge = await sendHeld(ingest, randomContent(8_000_000))
  const files = {
    empty: await sendHeld(ingest, ""),
    small: await sendHeld(ingest, "hello"),
    large: await sendHeld(ingest, randomContent(1_000_000)),
    eicar: await sendHeld(ingest, eicar),
  }
  await eventually(async () => {
    const statuses = (await api.listFiles()).files.map(({ status }) => status)
    return statuses.filter((status) => status === "Held").length === 1 && lines.length > 0
  })
  const stateOf = async ({ key }: { readonly key: string }) => {
    const { status, failure, hold } = (await ingest.catalog.get(key))!.file
    return { status, hold, message: failure?.message }
  }
  const released = { status: "Uploaded", hold: false, message: undefined }
  expect(await stateOf(files.empty)).toEqual(released)
  expect(await stateOf(files.small)).toEqual(released)
  expect(await stateOf(files.large)).toEqual(released)
  expect(await stateOf(files.eicar)).toEqual({
    status: "Failed",
    hold: false,
    message: expect.stringMatching(/^The file was rejected: the scanner found Eicar-Test-Signature\S*\.$/),
  })
  expect(await stateOf(tooLarge)).toEqual({ status: "Uploaded", hold: true, message: undefined })
  expect(lines).toEqual([
    expect.stringMatching(`${tooLarge.key}.*(size limit exceeded|hung up before).*StreamMaxLength`),
  ])
})
