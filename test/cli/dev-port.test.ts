import { once } from "node:events"
import { mkdir, mkdtemp, readdir, readFile, realpath, rm, writeFile } from "node:fs/promises"
import { createServer, type Server } from "node:net"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { encodeToken } from "../../src/protocol.ts"
import { type RunningCommand, startCommand } from "./run-command.ts"

let folder: string
let running: Array<RunningCommand>
let servers: Array<Server>
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "sluice-port-")))
  running = []
  servers = []
})
afterEach(async () => {
  for (const { child, ended } of running) {
    child.kill("SIGKILL")
    await ended
  }
  for (const server of servers) server.close()
  await rm(folder, { recursive: true })
})

/** `sluice dev` in a project of that name, without a server. */
const start = async (project: string, ...args: ReadonlyArray<string>): Promise<RunningCommand> => {
  const cwd = join(folder, project)
  await mkdir(cwd, { recursive: true })
  const command = startCommand(["dev", ...args], { cwd, env: { XDG_STATE_HOME: join(folder, "state") } })
  running.push(command)
  return command
}

/** The port it listens on, once it does. */
const portOf = async (command: RunningCommand): Promise<number> =>
  Number(/:(\d+)$/.exec(await command.line((line) => line.includes("Listens on")))![1])

const stop = async ({ child, ended }: RunningCommand): Promise<void> => {
  child.kill("SIGTERM")
  expect((await ended).code).toBe(0)
}

/** Starts it, and stops it again. */
const portOnce = async (project: string, ...args: ReadonlyArray<string>): Promise<number> => {
  const command = await start(project, ...args)
  const port = await portOf(command)
  await stop(command)
  return port
}

/** Takes a port; 0: any free one. */
const occupy = async (port = 0): Promise<number> => {
  const server = createServer().listen(port, "127.0.0.1")
  servers.push(server)
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

const keptBy = (project: string): Promise<string> => readFile(join(folder, project, ".sluice/port"), "utf8")

describe("the port of sluice dev", () => {
  it("stays with the project, whichever of two is started first", async () => {
    const [a, b] = [await start("a"), await start("b")]
    const [portA, portB] = [await portOf(a), await portOf(b)]
    expect(portA).not.toBe(portB)
    await stop(a)
    await stop(b)
    expect([await keptBy("a"), await keptBy("b")]).toEqual([`${portA}\n`, `${portB}\n`])
    expect([await portOnce("b"), await portOnce("a")]).toEqual([portB, portA])
  })

  it("is not taken by a new project while its own does not run, and can be again once its own is gone", async () => {
    const first = await portOnce("first")
    const second = await portOnce("second")
    expect(second).toBeGreaterThan(first)
    await rm(join(folder, "first"), { recursive: true })
    expect(await portOnce("third")).toBe(first)
    expect(await readdir(join(folder, "state/sluice/dev"))).toHaveLength(2)
  })

  it("is not changed where something else has it: it says who, what is at stake, and what to do", async () => {
    const port = await portOnce("shop")
    await occupy(port)
    const { code, stdout, stderr } = await (await start("shop")).ended
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" })
    expect(stderr).toContain(`Port ${port} is in use: `)
    const holder = new RegExp(`process ${process.pid} \\(.*, in .*\\)\\.`)
    expect(stderr).toMatch(process.platform === "linux" ? holder : /lsof|netstat/)
    expect(stderr).toContain("It is this project's (.sluice/port), and the URLs its app has stored name it.")
    expect(stderr).toContain("--port <number>")
    expect(stderr.trim().split("\n")).toHaveLength(1)
    expect(await keptBy("shop")).toBe(`${port}\n`)
  })

  it("names the other project that keeps the same port", async () => {
    const port = await portOnce("one")
    await portOnce("two")
    await writeFile(join(folder, "two/.sluice/port"), `${port}\n`)
    const one = await start("one")
    await portOf(one)
    const { stderr } = await (await start("two")).ended
    expect(stderr).toContain(`the project of ${join(folder, "one/.sluice")} has the same port`)
  })

  it("is another from then on where another is given, which is not replaced where it is in use", async () => {
    await portOnce("shop")
    const taken = await occupy()
    const { code, stderr } = await (await start("shop", "--port", String(taken))).ended
    expect(code).toBe(1)
    expect(stderr).toContain(`Port ${taken} is in use: `)
    expect(stderr).toContain("Stop it, or choose another port with --port.")
    servers.pop()!.close()
    expect(await portOnce("shop", "--port", String(taken))).toBe(taken)
    expect(await portOnce("shop")).toBe(taken)
    expect(await portOnce("shop", "--port", "0")).not.toBe(taken)
    expect(await keptBy("shop")).toBe(`${taken}\n`)
  })

  it("is that of the token's URL in a data folder from before ports were kept", async () => {
    const free = await occupy()
    servers.pop()!.close()
    await mkdir(join(folder, "old/.sluice"), { recursive: true, mode: 0o700 })
    const ingestUrl = `http://localhost:${free}`
    const token = encodeToken({ apiKey: "sk_secret", appId: "old", regions: ["local"], ingestUrl })
    await writeFile(join(folder, "old/.sluice/token"), `${token}\n`, { mode: 0o600 })
    expect(await portOnce("old")).toBe(free)
  })

  it.each(["", "none", "0", "70000", "4790 4791"])("is chosen anew where the file holds %j", async (text) => {
    await mkdir(join(folder, "odd/.sluice"), { recursive: true, mode: 0o700 })
    await writeFile(join(folder, "odd/.sluice/port"), text)
    expect(await keptAfterStart("odd")).toMatch(/^\d+\n$/)
  })

  it("is kept where nothing can be noted for other projects", async () => {
    await writeFile(join(folder, "state"), "in the way")
    expect(await keptAfterStart("alone")).toMatch(/^\d+\n$/)
  })
})

const keptAfterStart = async (project: string): Promise<string> => {
  await portOnce(project)
  return keptBy(project)
}
