import { type ChildProcess, spawn } from "node:child_process"
import { createHash, randomBytes } from "node:crypto"
import { once } from "node:events"
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join, resolve } from "node:path"
import { createInterface } from "node:readline"
import { encodeAppId } from "../../src/protocol/signing/app-id.ts"
import { createFileKey } from "../../src/protocol/files/key.ts"
import { createSigner } from "../../src/protocol/signing/signature.ts"
import { signUploadUrl } from "../../src/protocol/signing/signed-url.ts"
import { parseToken } from "../../src/protocol/signing/token.ts"
import type { Counts } from "../client/count.ts"
import type { Answer } from "./http-client.ts"

/** A running server that takes files, and what a client of it says. */
export interface Server {
  readonly pid: number
  readonly port: number
  /** Head of a request that stores a file of so many bytes; the bytes follow. */
  readonly putHead: (size: number) => Promise<string>
  /** Throws unless the answer says that the file is stored. */
  readonly checkPut: (answer: Answer, sha256: string) => void
  /** A request that costs the server next to nothing: how long it waits is how long everybody waits. */
  readonly probe: string
  /** Where a stored file is read. */
  readonly getPath: (answer: Answer) => string
  readonly stop: () => Promise<void>
  /** Processes beside it whose work is not its own. */
  readonly beside?: ReadonlyArray<number>
}

export type Start = (folder: string) => Promise<Server>

const root = join(import.meta.dirname, "../..")

/** Flags of Node for the ingest, to look into it: `BENCH_NODE_ARGS="--cpu-prof" node bench/ingest/load.ts sluice put 1024 20000 16 /tmp/x`. */
const profiling = process.env["BENCH_NODE_ARGS"]?.split(" ") ?? []

const expectStatus = (answer: Answer, ...statuses: ReadonlyArray<number>): void => {
  if (!statuses.includes(answer.status)) throw new Error(`answered ${answer.status}: ${answer.body}`)
}

const stopper = (child: ChildProcess) => () =>
  new Promise<void>((resolve) => {
    if (child.exitCode !== null) return resolve()
    child.once("exit", () => resolve())
    child.kill(profiling.length > 0 ? "SIGTERM" : "SIGKILL")
  })

const children = new Map<number, ChildProcess>()

/** What a process of {@link startNode} has counted so far, where it was started with `client/count.ts`. */
export const readCounts = async (pid: number): Promise<Counts> => {
  const child = children.get(pid)!
  const answer = once(child, "message") as Promise<[Counts]>
  child.send("count")
  return (await answer)[0]
}

/**
 * Starts a program with this Node, and gives the first of its lines that `isWanted`: where it listens. It does not outlive
 * this process.
 */
export const startNode = async (
  args: ReadonlyArray<string>,
  isWanted: (line: string) => boolean = () => true,
  env: Readonly<Record<string, string>> = {},
) => {
  const child = spawn(process.execPath, args, {
    env: { ...process.env, NODE_ENV: "production", NODE_NO_WARNINGS: "1", ...env },
    stdio: ["ignore", "pipe", "inherit", "ipc"],
  })
  children.set(child.pid!, child)
  process.once("exit", () => child.kill("SIGKILL"))
  const line = await new Promise<string>((resolve, reject) => {
    createInterface(child.stdout!).on("line", (text) => {
      if (isWanted(text)) resolve(text)
    })
    child.once("exit", (code) => reject(new Error(`${args[0]} ended with ${code}`)))
  })
  return { line, pid: child.pid!, stop: stopper(child) }
}

/** Starts `sluice ingest`. */
export const startIngest = async (folder: string, ...flags: ReadonlyArray<string>) => {
  const main = join(root, "dist/cli/main.js")
  const args = [...profiling, main, "ingest", "--port", "0", "--data", folder, "--json", ...flags]
  const { line, pid, stop } = await startNode(args, (text) => text.startsWith('{"event":"listening"'))
  const { url, port, tokenFile } = JSON.parse(line) as { url: string; port: number; tokenFile: string }
  return { url, port, pid, stop, token: readFileSync(tokenFile, "utf8").trim() }
}

export const startSluice =
  (...flags: ReadonlyArray<string>): Start =>
  async (folder) => {
    const { url, port, pid, stop, token: text } = await startIngest(folder, ...flags)
    const token = parseToken(text)
    if (!token.ok) throw new Error(token.detail)
    const { appId, apiKey } = token.value
    const signer = createSigner(apiKey)
    const prefix = encodeAppId(appId)
    const expires = Date.now() + 3_600_000
    return {
      pid,
      port,
      stop,
      probe: `GET /nothing HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`,
      putHead: async (size) => {
        const key = createFileKey(prefix)
        const grant = { key, appId, expires, name: "photo.bin", size, type: "application/octet-stream" }
        const signed = await signUploadUrl(url, grant, signer)
        return `PUT ${signed.slice(url.length)} HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: application/octet-stream\r\ncontent-length: ${size}\r\n\r\n`
      },
      checkPut: (answer, sha256) => {
        expectStatus(answer, 200)
        const { fileHash } = JSON.parse(answer.body) as { fileHash: string }
        if (fileHash !== sha256 && !flags.includes("--hash")) throw new Error(`stored something else: ${fileHash}`)
      },
      getPath: (answer) => new URL((JSON.parse(answer.body) as { url: string }).url).pathname,
    }
  }

const startScript =
  (script: string, ...args: ReadonlyArray<string>): Start =>
  async (folder) => {
    mkdirSync(folder, { recursive: true })
    const { line, pid, stop } = await startNode([resolve(import.meta.dirname, script), folder, ...args])
    return { ...plain(Number(line)), pid, stop }
  }

/** A server where a PUT of any path stores a file and a GET reads it. */
const plain = (port: number): Omit<Server, "pid" | "stop"> => {
  let name = ""
  return {
    port,
    probe: `OPTIONS / HTTP/1.1\r\nhost: localhost:${port}\r\n\r\n`,
    putHead: async (size) => {
      name = randomBytes(16).toString("hex")
      return `PUT /${name} HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: application/octet-stream\r\ncontent-length: ${size}\r\n\r\n`
    },
    checkPut: (answer) => expectStatus(answer, 200, 201, 204),
    getPath: () => `/${name}`,
  }
}

/** Starts what speaks tus. */
export const startTus =
  (script: string, ...args: ReadonlyArray<string>): Start =>
  async (folder) => {
    const server = await startScript(script, ...args)(folder)
    return {
      ...server,
      probe: `OPTIONS /files HTTP/1.1\r\nhost: localhost:${server.port}\r\n\r\n`,
      // Creation with upload: one request a file, the best the protocol has.
      putHead: async (size) =>
        `POST /files HTTP/1.1\r\nhost: localhost:${server.port}\r\ntus-resumable: 1.0.0\r\nupload-length: ${size}\r\ncontent-type: application/offset+octet-stream\r\ncontent-length: ${size}\r\n\r\n`,
      checkPut: (answer) => {
        expectStatus(answer, 201)
        const size = Number(answer.headers.get("upload-offset"))
        if (!(size > 0)) throw new Error("nothing was stored")
      },
    }
  }

const freePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as { port: number }
      server.close(() => resolve(port))
    })
  })

const nginxBinary = ["/usr/sbin/nginx", "/usr/local/sbin/nginx", "/usr/bin/nginx"].find((path) => existsSync(path))

const startNginx: Start = async (folder) => {
  mkdirSync(join(folder, "files"), { recursive: true })
  mkdirSync(join(folder, "temp"))
  const port = await freePort()
  const config = join(folder, "nginx.conf")
  writeFileSync(
    config,
    `daemon off; master_process off; pid ${folder}/pid; error_log stderr error; ${process.getuid?.() === 0 ? "user root;" : ""}
     events { worker_connections 4096; }
     http { access_log off; sendfile on; client_max_body_size 0; client_body_temp_path ${folder}/temp;
       keepalive_requests 1000000;
       server { listen 127.0.0.1:${port}; root ${folder}/files; location / { dav_methods PUT; } } }`,
  )
  const child = spawn(nginxBinary!, ["-c", config, "-p", folder], { stdio: ["ignore", "ignore", "inherit"] })
  for (let i = 0; i < 100; i++) {
    const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
    if (isUp) break
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return { ...plain(port), pid: child.pid!, stop: stopper(child) }
}

/** Name in the tables → how it is started. */
export const servers: Readonly<Record<string, Start>> = {
  sluice: startSluice(),
  "sluice, no hash": startSluice("--hash", "false"),
  "@tus/server": startTus("serve-tus.ts"),
  "bare pipe": startScript("serve-bare.ts"),
  nginx: startNginx,
  send: startScript("serve-send.ts"),
}

/** Why a server can't run here; undefined where it can. */
export const whyMissing = (name: string): string | undefined =>
  name === "nginx" && nginxBinary === undefined ? "nginx is not installed (Debian: nginx-light)" : undefined

export const sha256 = (bytes: Uint8Array, times: number): string => {
  const hash = createHash("sha256")
  for (let i = 0; i < times; i++) hash.update(bytes)
  return hash.digest("hex")
}

/** CPU s of all threads and the most resident memory in MiB that a process ever had, as the kernel counts them. */
export const readUsage = (pid: number): { readonly cpu: number; readonly peak: number } => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
  const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]
  return { cpu: (Number(fields[11]) + Number(fields[12])) / 100, peak: Number(peak) / 1024 }
}
