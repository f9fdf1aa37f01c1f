/*
 * What docs/deploying.md says of sizes, measured on the machine this runs on, after `npm run build`: `node bench/sizing.ts [files]`.
 *
 * Considerations: the clients are this process, on the same cores and over loopback; so files a second are fewer than an
 * ingest of its own machine takes, and memory is the ingest's alone (VmRSS and VmHWM of /proc: Linux only). Everything lies in
 * a folder of TMPDIR: set that to the disk that is meant.
 */
import { execFileSync, spawn } from "node:child_process"
import { randomBytes } from "node:crypto"
import { once } from "node:events"
import { mkdtemp, readFile, rm, stat } from "node:fs/promises"
import { cpus, tmpdir } from "node:os"
import { join } from "node:path"
import { createInterface } from "node:readline"
import { createFileKey, createSigner, encodeAppId, parseToken, signUploadUrl } from "../src/protocol.ts"

const main = join(import.meta.dirname, "../dist/cli/main.js")
const many = Number(process.argv[2] ?? 100_000)
const folder = await mkdtemp(join(tmpdir(), "sluice-sizing-"))
const data = join(folder, "data")

const ingest = spawn(process.execPath, [main, "ingest", "--port", "0", "--json", "--log-level", "None", "--data", data])
const [line] = (await once(createInterface(ingest.stdout), "line")) as [string]
const { url } = JSON.parse(line) as { readonly url: string }
const token = parseToken((await readFile(join(data, "token"), "utf8")).trim())
if (!token.ok) throw new Error(token.detail)
const { appId, apiKey } = token.value
const signer = createSigner(apiKey)

const upload = async (bytes: Uint8Array<ArrayBuffer>, name: string): Promise<void> => {
  const key = createFileKey(encodeAppId(appId))
  const grant = { key, appId, expires: Date.now() + 3_600_000, name, size: bytes.length, type: "text/plain" }
  const signed = await signUploadUrl(url, grant, signer)
  const answer = await fetch(signed, { method: "PUT", body: bytes, headers: { range: "bytes=0-" } })
  const text = await answer.text()
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`)
}

/** Uploads so many files of one size, `width` at the same time; gives how long that took, s. */
const uploadAll = async (count: number, width: number, size: number): Promise<number> => {
  const bytes = new Uint8Array(randomBytes(size))
  const start = performance.now()
  let next = 0
  const work = async (): Promise<void> => {
    for (let index = next++; index < count; index = next++) await upload(bytes, `photo-${index}.txt`)
  }
  await Promise.all(Array.from({ length: width }, work))
  return (performance.now() - start) / 1000
}

const memory = async (field: "VmRSS" | "VmHWM"): Promise<string> => {
  const status = await readFile(`/proc/${ingest.pid}/status`, "utf8")
  return `${Math.round(Number(new RegExp(`^${field}:\\s+(\\d+)`, "m").exec(status)![1]) / 1024)} MiB`
}

const sizeOfCatalog = async (): Promise<number> => (await stat(join(data, "catalog.sqlite"))).size
const disk = (): string => execFileSync("du", ["-sh", data], { encoding: "utf8" }).split("\t")[0]!

try {
  console.log(`Node ${process.versions.node}, ${cpus().length} × ${cpus()[0]?.model}`)
  console.log(`idle: ${await memory("VmRSS")}`)
  const large = await uploadAll(200, 100, 8 * 1024 * 1024)
  console.log(`100 uploads at once, 200 of 8 MiB: at most ${await memory("VmHWM")}, ${(1600 / large).toFixed(0)} MiB/s`)
  await uploadAll(100, 100, 1024)
  const before = await sizeOfCatalog()
  const small = await uploadAll(many, 100, 100)
  const backup = (name: string): string => {
    const start = performance.now()
    execFileSync(process.execPath, [main, "backup", join(folder, name), "--copy", "--data", data], { stdio: "pipe" })
    return `${((performance.now() - start) / 1000).toFixed(1)} s`
  }
  const [first, again] = [backup("backup"), backup("backup")]
  // Stopped, so that the log has gone into the database.
  ingest.kill("SIGTERM")
  await once(ingest, "exit")
  const each = ((await sizeOfCatalog()) - before) / many
  console.log(`${many} files of 100 bytes, 100 at once: ${(many / small).toFixed(0)} files/s`)
  console.log(`catalog: ${each.toFixed(0)} bytes a file, its 100 bytes included; all on disk: ${disk()}`)
  console.log(`backup of all (1.6 GiB and ${many} small files): ${first}, again with nothing new ${again}`)
} finally {
  ingest.kill("SIGTERM")
  await rm(folder, { recursive: true })
}
