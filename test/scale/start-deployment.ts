import { mkdir, mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import type pg from "pg"
import { encodeToken } from "../../src/protocol.ts"
import { createPostgresCatalog } from "../../src/postgres.ts"
import type { Catalog } from "../../src/ingest.ts"
import { type Double, startDouble } from "../ingest/storage/s3/start-double.ts"
import { bundleIngestServer, type IngestProcess } from "../reliability/ingest-process.ts"
import type { Random } from "../reliability/random.ts"
import { startPostgres, type TestPostgres } from "../start-postgres.ts"
import type { ScaleServerOptions } from "./ingest-server.ts"
import { startWire, type Wire } from "./start-wire.ts"

export const appId = "app-1"
export const apiKey = "sk_test_0123456789abcdef"
export const schema = "sluice"
/** What signed URLs name; nothing listens there. */
export const publicUrl = "http://ingest.test"

/** One of the ingests: a process after the other. */
export interface Member {
  readonly name: string
  /** Its way to the database. */
  readonly wire: Wire
  /** Where it listens; undefined while it does not. */
  readonly url: () => string | undefined
  /** Whether it was told to stand still. */
  readonly isStill: () => boolean
  /** Starts it, with settings that changed; resolves once it listens. */
  readonly start: (changes?: Partial<Pick<ScaleServerOptions, "unfinishedTtl">>) => Promise<void>
  /** `kill -9`, and waits until it is gone. */
  readonly kill: () => Promise<void>
  readonly signal: (signal: "SIGSTOP" | "SIGCONT") => void
  /** Puts its clock forwards by so many ms, or back; again after each start. */
  readonly shiftClock: (shift: number) => void
  readonly errors: () => string
}

/** Several ingests over one database and one bucket. */
export interface Deployment {
  readonly members: ReadonlyArray<Member>
  readonly postgres: TestPostgres
  readonly double: Double
  /** Of the test's own: it is no process that anybody waits for. */
  readonly catalog: Catalog
  readonly pool: pg.Pool
  /** Where one of those listens that are not dead; seldom one that stands still, as behind a load balancer that checks. */
  readonly pickUrl: () => Promise<string>
  readonly stop: () => Promise<void>
}

export const startDeployment = async ({
  random,
  fell,
  prepare = async () => {},
  count = 3,
  bucket = {},
  ...options
}: Omit<Partial<ScaleServerOptions>, "bucket"> & {
  readonly random: Random
  /** One of them has ended by itself. */
  readonly fell: (what: string) => void
  /** Is done before any ingest starts. */
  readonly prepare?: (catalog: Catalog) => Promise<void>
  readonly count?: number
  readonly bucket?: Partial<ScaleServerOptions["bucket"]>
}): Promise<Deployment> => {
  const folder = await mkdtemp(join(tmpdir(), "sluice-scale-"))
  // One that is killed keeps what it has committed.
  const [postgres, double] = await Promise.all([startPostgres({ isDurable: true }), startDouble()])
  const startIngest = await bundleIngestServer<ScaleServerOptions>(
    folder,
    join(import.meta.dirname, "ingest-server.ts"),
  )
  const database = new URL(await postgres.createDatabase())
  const pool = postgres.createPool({ connectionString: database.href })

  const catalog = createPostgresCatalog({ pool, schema })
  await prepare(catalog)

  const createMember = async (number: number): Promise<Member> => {
    const wire = await startWire(Number(database.port))
    const own = join(folder, String(number))
    await mkdir(own)
    const url = new URL(database)
    url.port = String(wire.port)
    let life: IngestProcess | undefined
    let at: string | undefined
    let [shift, errors] = [0, ""]
    let isStill = false
    return {
      name: `ingest ${number}`,
      wire,
      url: () => at,
      isStill: () => isStill,
      start: async (changes) => {
        life = startIngest({
          folder: own,
          databaseUrl: url.href,
          schema,
          shift,
          token: encodeToken({ apiKey, appId, regions: ["local"] }),
          url: publicUrl,
          logLevel: "Error",
          callbackNetworks: "any",
          ...options,
          ...changes,
          bucket: { ...double.settings, ...bucket },
        })
        const port = await life.port
        if (port === undefined) throw new Error(`An ingest did not start: ${life.errors()}`)
        at = `http://127.0.0.1:${port}`
        const started = life
        void started.exited.then(() => life === started && fell(`ingest ${number} fell: ${started.errors()}`))
      },
      kill: async () => {
        const ending = life!
        at = undefined
        life = undefined
        await ending.kill()
        errors += ending.errors()
      },
      signal: (signal) => {
        isStill = signal === "SIGSTOP"
        life!.child.kill(signal)
      },
      shiftClock: (by) => {
        shift = by
        life?.tell({ shift })
      },
      errors: () => errors + (life?.errors() ?? ""),
    }
  }

  const members = await Promise.all(Array.from({ length: count }, (_, index) => createMember(index + 1)))
  await Promise.all(members.map((member) => member.start()))
  return {
    members,
    postgres,
    double,
    catalog,
    pool,
    pickUrl: async () => {
      for (;;) {
        const isPatient = random.chance(0.2)
        const listening = members.flatMap((member) => (member.isStill() && !isPatient ? [] : (member.url() ?? [])))
        if (listening.length > 0) return random.pick(listening)
        await sleep(20)
      }
    },
    stop: async () => {
      for (const member of members) {
        if (member.url() !== undefined) await member.kill()
        member.wire.close()
      }
      await catalog.close()
      await pool.end()
      await postgres.stop()
      await double.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
