import { spawn } from "node:child_process"
import { once } from "node:events"
import { open, readFile, rm, writeFile } from "node:fs/promises"
import { createServer } from "node:net"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { compileCache } from "../compile-cache.ts"
import { eventually } from "../ingest/circle.ts"
import { makeFolder } from "../make-folder.ts"
import { mountTmpfs } from "../mount-tmpfs.ts"
import { commandFile } from "./command-file.ts"

const findPort = async (): Promise<number> => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

/** Starts a command whose whole output goes to a file; resolves when its ingest answers. */
const start = async (verb: string, log: string, args: ReadonlyArray<string> = []) => {
  const [file, data, port] = [await open(log, "a"), await makeFolder(), await findPort()]
  onTestFinished(() => file.close())
  const command = [commandFile, verb, "--port", String(port), "--data", data, ...args]
  const child = spawn(process.execPath, command, {
    stdio: ["ignore", file.fd, file.fd],
    env: { ...process.env, ...compileCache, NO_COLOR: "1", SLUICE_TOKEN: "" },
  })
  onTestFinished(() => void child.kill("SIGKILL"))
  const isReady = () =>
    fetch(`http://127.0.0.1:${port}/ready`).then(
      ({ status }) => status === 200,
      () => child.exitCode !== null,
    )
  await eventually(isReady)
  return child
}

const stop = async (child: Awaited<ReturnType<typeof start>>): Promise<unknown> => {
  const ended = once(child, "exit")
  if (child.exitCode === null) child.kill("SIGTERM")
  else return child.exitCode
  return (await ended)[0]
}

describe("a log on a disk that is full", () => {
  it.each(["ingest", "dev"])("ends no %s", async (verb) => {
    expect(await stop(await start(verb, "/dev/full"))).toBe(0)
  })

  it.for(["text", "json"])("says, as %s, how much of it is lost as soon as there is room", async (format, context) => {
    const disk = await makeFolder()
    mountTmpfs(context, disk, "size=64k")
    const [log, filler] = [join(disk, "log"), join(disk, "filler")]
    await writeFile(filler, new Uint8Array(64 * 1024)).catch(() => {})
    const child = await start("ingest", log, ["--log-format", format])
    await rm(filler)
    expect(await stop(child)).toBe(0)
    const lines = (await readFile(log, "utf8")).trim().split("\n")
    expect(lines.join("\n")).toMatch(
      /\d+ lines before this one are lost: the log could not be written, the disk is full\./,
    )
    if (format === "json") for (const line of lines) expect(JSON.parse(line)).toBeDefined()
  })
})
