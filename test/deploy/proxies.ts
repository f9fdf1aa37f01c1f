import { execFileSync, spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises"
import { connect } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { expect } from "vitest"
import { parseProblem } from "../../src/protocol/errors/parse-problem.ts"

const deploy = join(import.meta.dirname, "../../deploy")

/** Where a proxy listens, and the folder of what it writes. */
export interface ProxyPlace {
  readonly folder: string
  readonly port: number
}

/** Where the proxy listens, where the ingest does, and below which path it is shown. */
export interface ProxyPlan extends ProxyPlace {
  readonly ingestPort: number
  readonly mount: "root" | "stripped" | "unstripped"
  /** Texts of nginx's configuration that are another way in this test. */
  readonly changes?: ReadonlyArray<readonly [from: string, to: string]> | undefined
}

/** A proxy whose configuration is that of the docs. */
export interface Proxy {
  /** Files it keeps bodies in meanwhile. */
  readonly listTemporary: () => Promise<ReadonlyArray<string>>
  readonly readLogs: () => Promise<string>
  readonly stop: () => Promise<void>
}

/** Replaces each text; every one has to be there. */
export const replaceAll = (
  text: string,
  changes: ReadonlyArray<readonly [from: string | RegExp, to: string]>,
): string =>
  changes.reduce((changed, [from, to]) => {
    const next = changed.replaceAll(typeof from === "string" ? from : new RegExp(from, "g"), () => to)
    if (next === changed) throw new Error(`The configuration has no ${String(from)}.`)
    return next
  }, text)

const start = async (command: string, args: ReadonlyArray<string>, { folder, port }: ProxyPlace): Promise<Proxy> => {
  const child = spawn(command, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, HOME: folder } })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (said += chunk.toString()))
  const exited = once(child, "exit")
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${command} ended:\n${said}`)
    const socket = connect(port, "127.0.0.1")
    const isOpen = await Promise.race([
      once(socket, "connect").then(() => true),
      once(socket, "error").then(() => false),
    ]).catch(() => false)
    socket.destroy()
    if (isOpen) break
    await sleep(50)
  }
  const list = (path: string) => readdir(path, { recursive: true, withFileTypes: true })
  return {
    listTemporary: async () =>
      (await list(join(folder, "temporary"))).filter((entry) => entry.isFile()).map(({ name }) => name),
    readLogs: async () => {
      const logs = (await list(join(folder, "logs"))).filter((entry) => entry.isFile())
      const texts = await Promise.all(logs.map(({ parentPath, name }) => readFile(join(parentPath, name), "utf8")))
      return said + texts.join("\n")
    },
    stop: async () => {
      child.kill("SIGTERM")
      await exited
    },
  }
}

/** What is not on this machine as a configuration of nginx says: its port, its certificate, its log. */
const nginxHere = ({ folder, port }: ProxyPlace): ReadonlyArray<readonly [string | RegExp, string]> => [
  ["listen 443 ssl;", `listen 127.0.0.1:${port};`],
  ["listen [::]:443 ssl;", ""],
  [/ssl_certificate.*;/, ""],
  ["/var/log/nginx", join(folder, "logs")],
]

/** Starts nginx with a configuration of `deploy/`, and what is another way in this test. */
export const runNginx = async (place: ProxyPlace, text: string): Promise<Proxy> => {
  const { folder } = place
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `${name}_temp_path ${join(folder, "temporary", name)};`)
    .join("\n")
  const user = process.getuid?.() === 0 ? "user root;" : ""
  const file = join(folder, "nginx.conf")
  await writeFile(
    file,
    `${user}\ndaemon off;\npid ${join(folder, "pid")};\nevents {}\nhttp {\n${temporary}\n${replaceAll(text, nginxHere(place))}\n}\n`,
  )
  return start("nginx", ["-e", join(folder, "logs/start.log"), "-c", file], place)
}

const startNginx = async (plan: ProxyPlan): Promise<Proxy> => {
  const { ingestPort, mount } = plan
  let text = replaceAll(await readFile(join(deploy, "nginx.conf"), "utf8"), [
    ["127.0.0.1:4790", `127.0.0.1:${ingestPort}`],
  ])
  if (mount !== "root") {
    const path = replaceAll(
      await readFile(join(deploy, "nginx-base-path.conf"), "utf8"),
      mount === "unstripped" ? [["http://sluice_ingest/;", "http://sluice_ingest;"]] : [],
    )
    text = text.slice(0, text.indexOf("  location / {")) + `${path}\n}\n`
  }
  return runNginx(plan, replaceAll(text, plan.changes ?? []))
}

/** Starts Caddy with a configuration of `deploy/`, and what is another way in this test. */
export const runCaddy = async (place: ProxyPlace, text: string): Promise<Proxy> => {
  const { folder } = place
  const file = join(folder, "Caddyfile")
  const own = `{\n\tadmin off\n\tstorage file_system ${join(folder, "storage")}\n`
  if (!text.startsWith("{\n")) throw new Error("The Caddyfile has no global options.")
  const here = replaceAll(text, [["/var/log/caddy", join(folder, "logs")]])
  await writeFile(file, own + here.slice("{\n".length))
  return start("caddy", ["run", "--adapter", "caddyfile", "--config", file], place)
}

const startCaddy = async (plan: ProxyPlan): Promise<Proxy> => {
  const { port, ingestPort, mount } = plan
  let text = replaceAll(await readFile(join(deploy, "Caddyfile"), "utf8"), [
    ["files.example.net {", `http://127.0.0.1:${port} {`],
    ["127.0.0.1:4790", `127.0.0.1:${ingestPort}`],
  ])
  if (mount !== "root") {
    const block = /\treverse_proxy[\s\S]*?\n\t\}\n/.exec(text)![0]
    const directive = mount === "stripped" ? "handle_path" : "handle"
    text = text.replace(block, () => `\t${directive} /files/* {\n${block}\t}\n`)
  }
  return runCaddy(plan, text)
}

/**
 * What a page of any origin reads of the answer of a proxy that reaches no ingest: that it may try again, and when.
 *
 * @param answer as `fetch` gives it
 */
export const readAway = async (answer: Response) => ({
  status: answer.status,
  wait: Number(answer.headers.get("retry-after")),
  origins: answer.headers.get("access-control-allow-origin"),
  exposed: answer.headers.get("access-control-expose-headers"),
  detail: parseProblem(answer.status, await answer.text(), "ingest").detail,
})

/** What there is to read in the answer of a proxy to a request with a method. */
export const awayAnswer = (method: string, wait: unknown) => ({
  status: 503,
  wait,
  origins: "*",
  exposed: "retry-after",
  detail:
    method === "HEAD"
      ? expect.stringContaining("answered 503")
      : "No ingest can be reached at the moment. What was sent is kept; try again later.",
})

/** What stands in front of an ingest; all of them are put to the same tests. */
export const proxies = [
  { name: "nginx", start: startNginx },
  { name: "caddy", start: startCaddy },
] as const

/** Whether the machine has a command. */
export const hasCommand = (name: string, argument = name === "nginx" ? "-v" : "version"): boolean => {
  const paths = [...(process.env["PATH"] ?? "").split(":"), "/usr/sbin", "/usr/local/sbin"]
  if (!paths.some((path) => existsSync(join(path, name)))) return false
  process.env["PATH"] = paths.join(":")
  try {
    execFileSync(name, [argument], { stdio: "ignore" })
    return true
  } catch {
    return false
  }
}

/** Makes the folders that a proxy writes to. */
export const makeProxyFolders = async (folder: string): Promise<void> => {
  for (const name of ["logs", "temporary"]) await mkdir(join(folder, name), { recursive: true })
}
