import { randomBytes } from "node:crypto"
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { quantile } from "../statistics.ts"
import { openConnection } from "./http-client.ts"
import { readUsage, type Server, servers, sha256 } from "./servers.ts"

/** One process loads one server: `node load.ts <server> put|get|slow <bytes a file> <files> <at once> <folder>`. */
const [, , name = "", action, sizeText, countText, concurrencyText, parent = ""] = process.argv
const [size, count, concurrency] = [Number(sizeText), Number(countText), Number(concurrencyText)]

const piece = randomBytes(Math.min(size, 1024 * 1024))
const pieces = size / piece.length
/** Pieces of a file sent before anything is measured: servers that have run for a while are compared. */
const warmPieces = Math.min(pieces, 10)
const expected = new Map([pieces, warmPieces].map((times) => [times, sha256(piece, times)]))

function* bodyAfter(head: string, times: number): Generator<Uint8Array> {
  // What fits one packet goes out as one write.
  if (times === 1 && size <= 64 * 1024) return yield Buffer.concat([Buffer.from(head), piece])
  yield Buffer.from(head)
  for (let i = 0; i < times; i++) yield piece
}

/** Runs all tasks, so many at once, each on a connection of its own; the time each took in ms. */
const run = async (
  server: Server,
  tasks: number,
  ask: (connection: Awaited<ReturnType<typeof openConnection>>) => Promise<void>,
) => {
  const times: Array<number> = []
  let begun = 0
  const workers = Array.from({ length: concurrency }, async () => {
    const connection = await openConnection(server.port)
    while (begun++ < tasks) {
      const started = performance.now()
      await ask(connection)
      times.push(performance.now() - started)
    }
    connection.socket.removeAllListeners("close").destroy()
  })
  await Promise.all(workers)
  return times
}

const measure = async (server: Server, ask: Parameters<typeof run>[2]) => {
  const { beside = [] } = server
  const readBeside = () => beside.reduce((sum, pid) => sum + readUsage(pid).cpu, 0)
  const [before, besideBefore] = [readUsage(server.pid), readBeside()]
  const started = performance.now()
  const times = await run(server, count, ask)
  const elapsed = (performance.now() - started) / 1000
  const [after, besideAfter] = [readUsage(server.pid), readBeside()]
  const gibibytes = (size * count) / 2 ** 30
  return {
    rate: count / elapsed,
    throughput: (size * count) / 2 ** 20 / elapsed,
    p50: quantile(times, 0.5),
    p99: quantile(times, 0.99),
    cpu: (after.cpu - before.cpu) / gibibytes,
    cpuPerRequest: ((after.cpu - before.cpu) / count) * 1e6,
    peak: after.peak,
    ...(beside.length > 0 && { cpuBeside: (besideAfter - besideBefore) / gibibytes }),
  }
}

/** Time between two pieces of a slow upload, ms, and how many pieces it comes in. */
const slowly = { pause: 250, pieces: 32 }

/** All files at once, each trickling in, while somebody else asks for something cheap. */
const measureSlow = async (server: Server) => {
  const waits: Array<number> = []
  const over = new AbortController()
  const probing = openConnection(server.port).then(async ({ ask, socket }) => {
    while (!over.signal.aborted) {
      const started = performance.now()
      await ask([Buffer.from(server.probe)])
      waits.push(performance.now() - started)
      await sleep(20)
    }
    socket.removeAllListeners("close").destroy()
  })
  const step = size / slowly.pieces
  const upload = async () => {
    const { ask, socket } = await openConnection(server.port)
    const head = Buffer.from(await server.putHead(size))
    const answer = ask([head], true)
    answer.catch(() => {})
    for (let i = 0; i < slowly.pieces; i++) {
      await sleep(slowly.pause * (0.5 + Math.random()))
      socket.write(piece.subarray(i * step, (i + 1) * step))
    }
    server.checkPut(await answer, expected.get(1)!)
    socket.removeAllListeners("close").destroy()
  }
  const before = readUsage(server.pid)
  const ended = await Promise.allSettled(Array.from({ length: count }, upload))
  const after = readUsage(server.pid)
  over.abort()
  await probing
  return {
    stored: ended.filter(({ status }) => status === "fulfilled").length,
    lost: ended.filter(({ status }) => status === "rejected").length,
    wait50: quantile(waits, 0.5),
    wait99: quantile(waits, 0.99),
    peak: after.peak,
    cpuPerRequest: ((after.cpu - before.cpu) / count) * 1e6,
  }
}

const folder = join(parent, `${name.replaceAll(/\W+/g, "-")}-${process.pid}`)
mkdirSync(parent, { recursive: true })
const start = servers[name] ?? (await import("../scale/s3-servers.ts")).s3Servers[name]!
const server = await start(folder)
try {
  const put =
    (times: number): Parameters<typeof run>[2] =>
    async ({ ask }) =>
      server.checkPut(
        await ask(bodyAfter(await server.putHead(times * piece.length), times), true),
        expected.get(times)!,
      )
  if (action === "slow") {
    console.log(JSON.stringify(await measureSlow(server)))
  } else if (action === "put") {
    // Small ones until the compiler has done its part.
    await run(server, size <= 64 * 1024 ? count / 2 : 10, put(warmPieces))
    console.log(JSON.stringify(await measure(server, put(pieces))))
  } else {
    const { ask, socket } = await openConnection(server.port)
    const answer = await ask(bodyAfter(await server.putHead(size), pieces), true)
    server.checkPut(answer, expected.get(pieces)!)
    socket.removeAllListeners("close").destroy()
    const request = [Buffer.from(`GET ${server.getPath(answer)} HTTP/1.1\r\nhost: localhost:${server.port}\r\n\r\n`)]
    const get: Parameters<typeof run>[2] = async (connection) => {
      const { status, length } = await connection.ask(request)
      if (status !== 200 || length !== size) throw new Error(`answered ${status} with ${length} bytes`)
    }
    await run(server, size <= 64 * 1024 ? count / 2 : 1, get)
    console.log(JSON.stringify(await measure(server, get)))
  }
} finally {
  await server.stop()
  // Large files would fill the disk; small ones are left to the end, where many were deleted making new ones is slow.
  if (size >= 1024 * 1024) rmSync(folder, { recursive: true })
}
process.exit(0)
