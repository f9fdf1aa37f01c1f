/**
 * A real server of S3 for tests: Ceph's radosgw with all it needs, in memory. The packages of Debian are unpacked into a folder of
 * the project's cache; nothing is installed, and nothing outlives the process that started it.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { randomUUID } from "node:crypto"
import { existsSync } from "node:fs"
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from "node:fs/promises"
import { createServer, type AddressInfo } from "node:net"
import { hostname, tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { promisify } from "node:util"
import { createS3Requests } from "../../../../src/ingest/storage/s3/client/s3-request.ts"
import type { S3Credentials, S3Settings } from "../../../../src/ingest/storage/s3/client/s3-settings.ts"
import { virtualHost } from "./start-double.ts"

const run = promisify(execFile)

const cache = join(import.meta.dirname, "../../../../node_modules/.cache/radosgw")

/** A server that is running. */
export interface Radosgw {
  readonly settings: S3Settings & { readonly credentials: S3Credentials }
  readonly stop: () => Promise<void>
}

/** Why there is none here. */
export interface Missing {
  readonly missing: string
}

const isRoot = process.getuid?.() === 0

/** Unpacks the packages, once; where another process does it at the same time, the first one to end is taken. */
const unpack = async (): Promise<void> => {
  if (existsSync(cache)) return
  await mkdir(join(cache, ".."), { recursive: true })
  const folder = await mkdtemp(`${cache}-`)
  try {
    const debs = join(folder, "debs")
    await mkdir(debs)
    const options = { cwd: debs, maxBuffer: 16 * 1024 * 1024 }
    const isListed = await run("apt-cache", ["show", "radosgw"], options).then(
      ({ stdout }) => stdout !== "",
      () => false,
    )
    if (!isListed && isRoot) await run("apt-get", ["update", "-qq"], options)
    const wanted = ["radosgw", "ceph-mon", "ceph-osd"]
    const { stdout } = await run("apt-get", ["install", "-s", "--no-install-recommends", ...wanted], options)
    const packages = [...stdout.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name!)
    await run("apt-get", ["download", "-qq", ...packages], options)
    const root = join(folder, "root")
    for (const deb of await readdir(debs)) await run("dpkg", ["-x", join(debs, deb), root])
    await rename(root, cache).catch((cause: unknown) => {
      if (!existsSync(cache)) throw cause
    })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Ports that nothing listens on, all different. */
const findPorts = async (count: number): Promise<ReadonlyArray<number>> => {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer()
      await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
      return server
    }),
  )
  const ports = servers.map((server) => (server.address() as AddressInfo).port)
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
  return ports
}

const toConfiguration = (folder: string, library: string, fsid: string, port: number, monitor: number): string => `
[global]
fsid = ${fsid}
mon host = v1:127.0.0.1:${monitor}
mon initial members = a
auth cluster required = none
auth service required = none
auth client required = none
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pgp num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 2000
ms bind msgr2 = false
public addr = 127.0.0.1
cluster addr = 127.0.0.1
run dir = ${folder}
admin socket = ${folder}/$name.asok
pid file = ${folder}/$name.pid
log file = ${folder}/$name.log
plugin dir = ${library}
erasure code dir = ${library}/ceph/erasure-code
osd class dir = ${library}/rados-classes
[mon.a]
mon data = ${folder}/mon
host = ${hostname()}
[osd.0]
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 2147483648
host = ${hostname()}
[client.rgw]
rgw frontends = beast endpoint=127.0.0.1:${port}
rgw dns name = ${virtualHost}
rgw dynamic resharding = false
rgw override bucket index max shards = 1
rgw enable gc threads = false
rgw enable lc threads = false
host = ${hostname()}
`

const credentials = { accessKeyId: "testkey", secretAccessKey: "testsecret" }

const start = async (): Promise<Radosgw> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-radosgw-"))
  const children: Array<ChildProcess> = []
  // Ceph's storage does not stop when it is asked to.
  const kill = () => children.forEach((child) => child.kill("SIGKILL"))
  process.on("exit", kill)
  const stop = async (): Promise<void> => {
    kill()
    process.off("exit", kill)
    await rm(folder, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    const libraries = join(cache, "usr/lib")
    const target = (await readdir(libraries)).find((name) => name.endsWith("-linux-gnu"))!
    const library = join(libraries, target)
    const env = {
      ...process.env,
      PATH: `${cache}/usr/bin:${process.env["PATH"]}`,
      PYTHONPATH: `${libraries}/python3/dist-packages`,
      LD_LIBRARY_PATH: `${library}:${library}/ceph:${cache}/lib/${target}`,
    }
    const [port, monitor] = await findPorts(2)
    const fsid = randomUUID()
    const configuration = join(folder, "ceph.conf")
    await writeFile(configuration, toConfiguration(folder, library, fsid, port!, monitor!))
    for (const name of ["mon", "osd"]) await mkdir(join(folder, name))
    const common = ["-c", configuration]
    const execute = (command: string, ...args: ReadonlyArray<string>) =>
      run(command, [...args], { env, timeout: 60_000 }).then(({ stdout }) => stdout)
    const serve = (command: string, ...args: ReadonlyArray<string>) => {
      const child = spawn(command, [...common, ...args, "-f"], { env, stdio: "ignore" })
      child.on("error", () => {})
      children.push(child)
    }
    const map = join(folder, "monmap")
    await execute("monmaptool", "--create", "--addv", "a", `[v1:127.0.0.1:${monitor}]`, "--fsid", fsid, map)
    await execute("ceph-mon", ...common, "-i", "a", "--mkfs", "--monmap", map)
    serve("ceph-mon", "-i", "a")
    const disk = randomUUID()
    await execute("ceph", ...common, "--connect-timeout", "30", "osd", "new", disk)
    await execute("ceph-osd", ...common, "-i", "0", "--mkfs", "--osd-uuid", disk)
    serve("ceph-osd", "-i", "0")
    serve("radosgw", "-n", "client.rgw")
    const endpoint = `http://127.0.0.1:${port}`
    const isUp = () =>
      fetch(endpoint, { signal: AbortSignal.timeout(1000) }).then(
        (answer) => answer.text().then(() => true),
        () => false,
      )
    for (let tries = 0; !(await isUp()); tries++) {
      if (tries > 300 || children.some(({ exitCode }) => exitCode !== null)) throw new Error("radosgw does not start")
      await sleep(200)
    }
    const { accessKeyId, secretAccessKey } = credentials
    const keys = ["--access-key", accessKeyId, "--secret-key", secretAccessKey]
    await execute("radosgw-admin", ...common, "user", "create", "--uid", "test", "--display-name", "test", ...keys)
    const settings = { endpoint, region: "default", bucket: "checked.bucket", credentials }
    const requests = createS3Requests(settings)
    await requests.send({ operation: "CreateBucket", method: "PUT" })
    requests.close()
    return { settings, stop }
  } catch (cause) {
    const logs = (await readdir(folder)).filter((name) => name.endsWith(".log"))
    const ends = await Promise.all(logs.map(async (name) => (await readFile(join(folder, name), "utf8")).slice(-2000)))
    await stop()
    throw new Error(`Ceph did not start:\n${ends.join("\n")}`, { cause })
  }
}

/** Starts one with a bucket, or says why it cannot be had here. */
export const startRadosgw = async (): Promise<Radosgw | Missing> => {
  if (process.platform !== "linux" || !existsSync("/usr/bin/apt-get")) {
    return { missing: "there is no apt-get to fetch Ceph's radosgw with" }
  }
  try {
    await unpack()
  } catch (cause) {
    return { missing: `apt-get could not fetch Ceph's radosgw: ${String(cause).slice(0, 300)}` }
  }
  // A port may be taken between its choice and its use.
  return start().catch(start)
}
