import { spawn } from "node:child_process"
import { once } from "node:events"
import { existsSync } from "node:fs"
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import pg from "pg"
import { findFreePort, nobody } from "./start-postgres.ts"

const program = "/usr/sbin/pgbouncer"

/** Whether this machine has one. */
export const hasPgBouncer = (): boolean => existsSync(program)

/** A pooler in front of a PostgreSQL. */
export interface TestPooler {
  /** Of the same database, through the pooler. */
  readonly url: string
  readonly stop: () => Promise<void>
}

/**
 * Starts a PgBouncer that gives every transaction another session, in turn, so that whatever is left in one is missed by the
 * next statement.
 *
 * @param url of a database whose server asks for no password
 */
export const startPgBouncer = async (url: string): Promise<TestPooler> => {
  const { hostname, port: behind, username, pathname } = new URL(url)
  const port = await findFreePort()
  const folder = await mkdtemp(join(tmpdir(), "sluice-pgbouncer-"))
  await chmod(folder, 0o755)
  const settings = {
    listen_addr: "127.0.0.1",
    listen_port: port,
    unix_socket_dir: "",
    auth_type: "any",
    pool_mode: "transaction",
    server_round_robin: 1,
    default_pool_size: 8,
    max_client_conn: 200,
  }
  const file = join(folder, "pgbouncer.ini")
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  await writeFile(
    file,
    `[databases]\n* = host=${hostname} port=${behind} user=${username}\n[pgbouncer]\n${lines.join("\n")}\n`,
  )
  const user = process.getuid?.() === 0 ? nobody : {}
  const child = spawn(program, [file], { ...user, stdio: ["ignore", "pipe", "pipe"] })
  let said = ""
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (text: Buffer) => (said += text.toString()))
  const kill = () => child.kill("SIGKILL")
  process.once("exit", kill)
  const stop = async (): Promise<void> => {
    process.removeListener("exit", kill)
    if (child.exitCode === null) {
      child.kill("SIGKILL")
      await once(child, "close")
    }
    await rm(folder, { recursive: true })
  }
  const pooled = `postgres://${username}@127.0.0.1:${port}${pathname}`
  for (const until = performance.now() + 30_000; ;) {
    const client = new pg.Client({ connectionString: pooled })
    try {
      await client.connect()
      await client.end()
      return { url: pooled, stop }
    } catch (cause) {
      if (child.exitCode === null && performance.now() < until) {
        await new Promise((resolve) => setTimeout(resolve, 50))
        continue
      }
      await stop()
      throw new Error(`PgBouncer did not start.\n${said}`, { cause })
    }
  }
}
