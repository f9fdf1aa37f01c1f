import { setTimeout as sleep } from "node:timers/promises"
import type { Fault } from "../ingest/storage/s3/start-double.ts"
import type { Random } from "../reliability/random.ts"
import type { Deployment, Member } from "./start-deployment.ts"

/** What goes wrong in a deployment. */
export const faultNames = [
  /** An ingest is killed and started again. */
  "SIGKILL",
  /** An ingest stands still for a while: longer than others wait for it. */
  "SIGSTOP",
  /** All connections of an ingest to the database break. */
  "database cut",
  /** An ingest reaches the database, and nothing comes back. */
  "database stalled",
  "PostgreSQL restarted",
  "PostgreSQL fell",
  "S3 500",
  "S3 503",
  "S3 slow",
  "S3 cut",
  /** The clock of an ingest is put 90 s forwards or back, or is wrong when it starts. */
  "clock",
] as const

export type FaultName = (typeof faultNames)[number]

/** How long an ingest stands still, ms. */
export interface FaultTimes {
  readonly standstill: readonly [least: number, most: number]
  /** Some are longer: others have taken it for dead before it goes on. */
  readonly death: readonly [least: number, most: number]
}

/** Makes a deployment fail, in one way after the other; several at a time, but never at all of its ingests. */
export const createFaults = (
  { members, postgres, double }: Deployment,
  random: Random,
  { standstill, death }: FaultTimes,
  report: (what: string) => void,
) => {
  const counts = new Map<FaultName, number>(faultNames.map((name) => [name, 0]))
  /** Members to which something is happening. */
  const busy = new Set<Member>()
  const underWay = new Set<Promise<void>>()
  let bucketFault: FaultName | undefined
  let isRestarting = false
  let turn: Array<FaultName> = []

  const pickBucketFault = (operation: string): Fault | undefined => {
    // Some requests get through.
    if (random.chance(0.4)) return undefined
    if (bucketFault === "S3 500") return { kind: "answer", status: 500, code: "InternalError" }
    if (bucketFault === "S3 503") return { kind: "answer", status: 503, code: "SlowDown" }
    if (bucketFault === "S3 slow") return { kind: "late", by: random.between(100, 2000) }
    if (bucketFault !== "S3 cut") return undefined
    if (operation === "GetObject") return { kind: "cut-answer", after: random.below(100_000) }
    return random.chance(0.5) ? { kind: "lose-answer" } : { kind: "cut" }
  }
  double.onRequest(({ operation }) => {
    // It counts those of each operation for every request.
    if (double.requests.length > 2000) double.requests.splice(0, 1000)
    return pickBucketFault(operation)
  })

  const bucketFails = (name: FaultName) => async (): Promise<void> => {
    bucketFault = name
    await sleep(random.between(300, 2000))
    if (bucketFault === name) bucketFault = undefined
  }

  const databaseRestarts = (how: "fast" | "immediate") => async (): Promise<void> => {
    isRestarting = true
    await postgres.restart(how)
    isRestarting = false
  }

  const pickStandstill = (): number => random.between(...(random.chance(0.35) ? death : standstill))

  const ofMember: { readonly [K in FaultName]?: (member: Member) => Promise<void> } = {
    SIGKILL: async (member) => {
      await member.kill()
      await sleep(random.between(0, 500))
      await member.start()
    },
    SIGSTOP: async (member) => {
      member.signal("SIGSTOP")
      await sleep(pickStandstill())
      member.signal("SIGCONT")
    },
    "database cut": async ({ wire }) => {
      wire.cut()
      if (random.chance(0.5)) return
      for (const end = Date.now() + random.between(100, 1500); Date.now() < end; await sleep(20)) wire.cut()
    },
    "database stalled": async ({ wire }) => {
      wire.stall()
      await sleep(random.chance(0.3) ? pickStandstill() : random.between(100, 3000))
      if (random.chance(0.5)) wire.cut()
      wire.goOn()
    },
    clock: async (member) => {
      const isRestarted = random.chance(0.4)
      if (isRestarted) await member.kill()
      member.shiftClock(random.chance(0.5) ? 90_000 : -90_000)
      if (isRestarted) await member.start()
      await sleep(random.between(1000, 6000))
      member.shiftClock(0)
    },
  }
  const ofAll: { readonly [K in FaultName]?: () => Promise<void> } = {
    "PostgreSQL restarted": databaseRestarts("fast"),
    "PostgreSQL fell": databaseRestarts("immediate"),
    "S3 500": bucketFails("S3 500"),
    "S3 503": bucketFails("S3 503"),
    "S3 slow": bucketFails("S3 slow"),
    "S3 cut": bucketFails("S3 cut"),
  }

  /** Begins a fault; undefined where it cannot be now. */
  const begin = (name: FaultName): Promise<void> | undefined => {
    const all = ofAll[name]
    if (all !== undefined)
      return isRestarting || (name.startsWith("S3") && bucketFault !== undefined) ? undefined : all()
    const free = members.filter((member) => !busy.has(member))
    // One is left that works, where there are several.
    if (free.length < Math.min(2, members.length)) return undefined
    const member = random.pick(free)
    busy.add(member)
    return ofMember[name]!(member).finally(() => busy.delete(member))
  }

  return {
    counts: counts as ReadonlyMap<FaultName, number>,
    /** The next fault has begun when it resolves; the faults before may not be over. */
    next: async (): Promise<void> => {
      // Each has its turn, in an order of its own each round.
      if (turn.length === 0) turn = [...faultNames].sort(() => random.below(3) - 1)
      const name = turn.pop()!
      for (;;) {
        const begun = begin(name)
        if (begun !== undefined) {
          counts.set(name, counts.get(name)! + 1)
          const done: Promise<void> = begun
            .catch((cause: unknown) => report(`${name}: ${String(cause)}`))
            .finally(() => underWay.delete(done))
          underWay.add(done)
          return
        }
        await sleep(50)
      }
    },
    /** Waits until everything works again. */
    settle: async (): Promise<void> => {
      await Promise.all(underWay)
      double.onRequest()
    },
  }
}
