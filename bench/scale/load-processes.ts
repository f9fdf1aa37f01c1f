/* Files through one or several ingests over one PostgreSQL and one bucket: `node load-processes.ts <processes> small|object|large`. */
import { randomBytes, randomUUID } from "node:crypto"
import { once } from "node:events"
import { readdirSync, readFileSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type { S3Settings } from "../../src/ingest/storage/s3/client/s3-settings.ts"
import { createFileKey, createSigner, encodeAppId, encodeToken, signUploadUrl } from "../../src/protocol.ts"
import { createSealer } from "../../src/protocol/signing/seal.ts"
import { startPostgres } from "../../test/start-postgres.ts"
import { openConnection } from "../ingest/http-client.ts"
import { readUsage, startNode } from "../ingest/servers.ts"
import { quantile } from "../statistics.ts"

const [, , processesText, kind] = process.argv
const processes = Number(processesText)
const [kibibyte, mebibyte] = [1024, 1024 ** 2]
const isSmall = kind === "small"

/** Bytes of a file, how many are under way at once, and for how long, s. */
const loads = {
  small: { size: kibibyte, lanes: 96, warm: 3, span: 8 },
  object: { size: 2 * mebibyte, lanes: 16, warm: 2, span: 8 },
  large: { size: 64 * mebibyte, lanes: 3, warm: 2, span: 12 },
} as const
const load = loads[kind as keyof typeof loads]

const [url, appId, apiKey, slug] = ["http://ingest.test", "app-1", "sk_live_0123456789abcdef0123456789abcdef", "photo"]
const piece = randomBytes(Math.min(load.size, mebibyte))

/** The fields of a process from its state on, as `proc(5)` lists them. */
const readStat = (pid: string): ReadonlyArray<string> => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ")
}

/** CPU s of a process and its children, also those that have ended. */
const readFamily = (parent: number): number => {
  const own = readStat(String(parent))
  const ended = (Number(own[11]) + Number(own[12]) + Number(own[13]) + Number(own[14])) / 100
  const children = readdirSync("/proc").filter((pid) => /^\d+$/.test(pid))
  return children.reduce((sum, pid) => {
    try {
      const fields = readStat(pid)
      return fields[1] === String(parent) ? sum + (Number(fields[11]) + Number(fields[12])) / 100 : sum
    } catch {
      return sum
    }
  }, ended)
}

/** An app that is told of each file, and says nothing more than that it knows. */
let told = 0
const app = createServer((request, response) => {
  request.resume().once("end", () => {
    told++
    response.end()
  })
}).listen(0, "127.0.0.1")
await once(app, "listening")
const callbackUrl = `http://127.0.0.1:${(app.address() as AddressInfo).port}/`

const [signer, sealer, prefix] = [createSigner(apiKey), createSealer(apiKey), encodeAppId(appId)]

/** The head of a PUT whose URL carries its registration. */
const createHead = async (): Promise<Buffer> => {
  const said = { callbackUrl, awaitServerData: false, metadata: { userId: 7 } }
  const grant = {
    key: createFileKey(prefix),
    appId,
    expires: Date.now() + 3_600_000,
    name: "photo.bin",
    size: load.size,
    type: "application/octet-stream",
    slug,
    registrationId: randomUUID(),
    issuedAt: Date.now(),
    seal: await sealer.seal(JSON.stringify(said), { appId, slug }),
  }
  const target = (await signUploadUrl(url, grant, signer)).slice(url.length)
  return Buffer.from(
    `PUT ${target} HTTP/1.1\r\nhost: ingest.test\r\ncontent-type: application/octet-stream\r\ncontent-length: ${load.size}\r\n\r\n`,
  )
}

function* toBody(head: Buffer): Generator<Uint8Array> {
  // What fits one packet goes out as one write.
  if (isSmall) return yield Buffer.concat([head, piece])
  yield head
  for (let sent = 0; sent < load.size; sent += piece.length) yield piece
}

const postgres = await startPostgres({ isDurable: true })
const double = await startNode([join(import.meta.dirname, "serve-double.ts")])
const bucket = JSON.parse(double.line) as S3Settings & { credentials: { accessKeyId: string; secretAccessKey: string } }
const startIngest = async () => {
  const args = [join(import.meta.dirname, "../../dist/cli/main.js"), "ingest", "--port", "0", "--json"]
  const { line, pid, stop } = await startNode(args, (text) => text.startsWith('{"event":"listening"'), {
    SLUICE_URL: url,
    SLUICE_TOKEN: encodeToken({ apiKey, appId, regions: ["local"], ingestUrl: url }),
    SLUICE_DATABASE_URL: postgres.url,
    SLUICE_S3_BUCKET: bucket.bucket,
    SLUICE_S3_ENDPOINT: bucket.endpoint,
    SLUICE_S3_REGION: bucket.region,
    SLUICE_S3_ACCESS_KEY_ID: bucket.credentials.accessKeyId,
    SLUICE_S3_SECRET_ACCESS_KEY: bucket.credentials.secretAccessKey,
    SLUICE_MAX_CONCURRENT_CALLBACKS: "1024",
  })
  return { port: (JSON.parse(line) as { port: number }).port, pid, stop }
}
const ingests: Array<Awaited<ReturnType<typeof startIngest>>> = []

/** How long each PUT took, ms, how long all of them, and how long the app was told of the last ones afterwards, s. */
const run = async (seconds: number) => {
  const begun = performance.now()
  const end = begun + seconds * 1000
  const times: Array<number> = []
  const lane = async (index: number): Promise<void> => {
    const { ask, socket } = await openConnection(ingests[index % ingests.length]!.port)
    while (performance.now() < end) {
      const head = await createHead()
      const started = performance.now()
      const { status, body } = await ask(toBody(head), true)
      if (status !== 200) throw new Error(`answered ${status}: ${body}`)
      times.push(performance.now() - started)
    }
    socket.removeAllListeners("close").destroy()
  }
  told = 0
  await Promise.all(Array.from({ length: load.lanes }, (_, index) => lane(index)))
  const elapsed = (performance.now() - begun) / 1000
  while (told < times.length) await sleep(5)
  return { times, elapsed, lag: (performance.now() - begun) / 1000 - elapsed }
}

/** The process that all of PostgreSQL's are children of. */
const findPostmaster = async (): Promise<number> => {
  const [row] = await postgres.run("SELECT pid FROM pg_stat_activity WHERE backend_type = 'checkpointer'")
  return Number(readStat(String(row!["pid"]))[1])
}

const readDatabase = async () => {
  const [row] = await postgres.run(
    "SELECT pg_wal_lsn_diff(pg_current_wal_lsn(), '0/0')::float8 AS wal, xact_commit::float8 AS commits, pg_database_size(current_database())::float8 AS size FROM pg_stat_database WHERE datname = current_database()",
  )
  return row as { readonly wal: number; readonly commits: number; readonly size: number }
}

try {
  for (let index = 0; index < processes; index++) ingests.push(await startIngest())
  const postmaster = await findPostmaster()
  await run(load.warm)
  const read = async () => ({
    ...(await readDatabase()),
    ingests: ingests.reduce((sum, { pid }) => sum + readUsage(pid).cpu, 0),
    postgres: readFamily(postmaster),
    bucket: readUsage(double.pid).cpu,
    own: process.cpuUsage().user + process.cpuUsage().system,
  })
  const before = await read()
  const { times, elapsed, lag } = await run(load.span)
  const after = await read()
  const [files, gibibytes] = [times.length, (times.length * load.size) / 1024 ** 3]
  const perFile = (figure: keyof typeof before): number => (after[figure] - before[figure]) / files
  console.log(
    JSON.stringify({
      ...(isSmall ? { rate: files / elapsed } : { throughput: (gibibytes * 1024) / elapsed }),
      lag,
      p50: quantile(times, 0.5),
      p99: quantile(times, 0.99),
      cpuPerRequest: perFile("ingests") * 1e6,
      ...(!isSmall && {
        cpu: (after.ingests - before.ingests) / gibibytes,
        bucketCpu: (after.bucket - before.bucket) / gibibytes,
      }),
      databaseCpu: perFile("postgres") * 1e6,
      commits: perFile("commits"),
      wal: perFile("wal") / 1024,
      rows: perFile("size"),
      loadCpu: perFile("own"),
      peak: Math.max(...ingests.map(({ pid }) => readUsage(pid).peak)),
    }),
  )
} finally {
  for (const { stop } of ingests) await stop()
  await double.stop()
  await postgres.stop()
}
process.exit(0)
