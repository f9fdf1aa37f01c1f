import { expect } from "vitest"
import { type Catalog, createMemoryCatalog } from "../../../src/ingest.ts"
import { grantOf } from "../../../src/conformance/catalog/drive-catalog.ts"
import { createRandom } from "./random.ts"

/** One call of a catalog, with its arguments fixed. */
interface Step {
  readonly says: string
  /** ms of the catalogs' clock. */
  readonly now: number
  readonly run: (catalog: Catalog, createEventId: () => string) => Promise<unknown>
}

const keys = ["a", "b", "c"]

/** What anybody may do to a catalog next. */
const createSteps = (random: () => number) => {
  const pick = <A>(values: ReadonlyArray<A>): A => values[Math.floor(random() * values.length)]!
  const chance = (share: number): boolean => random() < share
  let now = 1000
  let events = 0

  const steps: Readonly<Record<string, () => Step["run"]>> = {
    begin: () => {
      const grant = createGrant()
      const quota = chance(0.2) ? pick([10, 20]) : undefined
      const eventId = chance(0.9) ? `evt_begin_${++events}` : undefined
      const labels = createLabels()
      const begin = {
        grant,
        registration: createRegistration(),
        labels,
        origin: "http://ingest.example",
        now,
        quota,
        eventId,
      }
      return (catalog) => catalog.begin(begin)
    },
    commitWhole: () => {
      const grant = createGrant()
      const notes = { now, eventId: `evt_whole_${++events}`, claimedUntil: chance(0.5) ? now + 500 : null }
      const quota = chance(0.2) ? pick([10, 20]) : undefined
      const registration = createRegistration()
      const whole = {
        grant,
        registration,
        labels: createLabels(),
        origin: "http://ingest.example",
        bytes: Uint8Array.of(1),
        fileHash: "ab",
        quota,
        ...notes,
      }
      return (catalog) => catalog.commitWhole(whole)
    },
    interrupt: () => {
      const key = pick(keys)
      return (catalog) => catalog.interrupt(key)
    },
    commit: () => {
      const key = pick(keys)
      const isStale = chance(0.2)
      const blobRef = isStale ? null : "1"
      const notes = { now, eventId: `evt_commit_${++events}`, claimedUntil: chance(0.5) ? now + 500 : null }
      return async (catalog) => {
        const epoch = ((await catalog.get(key))?.file.epoch ?? 0) - Number(isStale)
        return catalog.commit({ key, epoch, fileHash: "ab", blobRef, ...notes })
      }
    },
    fail: () => {
      const key = pick(keys)
      const rest = {
        failure: { code: "CONTENT_MISMATCH", message: "No." },
        now,
        eventId: `evt_fail_${++events}`,
      } as const
      return async (catalog) => catalog.fail({ key, epoch: (await catalog.get(key))?.file.epoch ?? 0, ...rest })
    },
    register: () => {
      const register = {
        appId: "app",
        id: pick([undefined, "x", "y"]),
        expires: chance(0.5) ? now + pick([500, 5000]) : undefined,
        fileKeys: keys.filter(() => chance(0.4)),
        metadata: pick(["1", '"longer"']),
        callbackUrl: "http://app.example/api/sluice",
        callbackSlug: "avatar",
        awaitServerData: true,
        isDev: chance(0.4),
        trace: null,
        now,
        bounds: chance(0.2) ? { expectedFiles: pick([1, 3]), expectedBytes: pick([500, 5000]) } : {},
      }
      if (register.fileKeys.length === 0) return steps["begin"]!()
      return (catalog, createEventId) => catalog.register({ ...register, createEventId })
    },
    recordResult: () => {
      const [key, isNamed, isOld] = [pick(keys), chance(0.5), chance(0.2)]
      const result = pick([{ data: "1" }, { data: '"longer"' }, { error: "no" }])
      return async (catalog) => {
        const delivery = (await catalog.get(key))?.delivery
        const attempt = isOld && delivery ? { attempt: delivery.attempts - 1 } : {}
        return catalog.recordResult({
          appId: "app",
          key,
          eventId: isNamed ? delivery?.id : undefined,
          ...attempt,
          result,
          now,
        })
      }
    },
    deliver: () => {
      const channel = pick(["callback", { appId: "app", callbackSlug: "avatar" }] as const)
      const outcome = pick(["delivered", "dead", { retryAt: now + 50 }, null] as const)
      const isRepeated = chance(0.2)
      const result = pick([undefined, { data: "1" }, { data: '"longer"' }, { error: "no" }])
      return async (catalog) => {
        const kept: Array<boolean> = []
        const due = await catalog.claimDue({ channel, now, claimedUntil: now + 100, limit: 2 })
        for (const { id, attempt } of outcome === null ? [] : due) {
          const record = { deliveryId: id, attempt, startedAt: now, latency: 1, status: 200, error: null, answer: null }
          for (const _ of isRepeated ? [1, 2] : [1]) {
            kept.push(await catalog.recordAttempt({ ...record, outcome: outcome!, result }))
          }
        }
        return { due, kept }
      }
    },
    redeliver: () => {
      const at = random()
      const callbackUrl = chance(0.3) ? "http://elsewhere.example/" : undefined
      return async (catalog) => {
        const known = await catalog.listDeliveries({ limit: 100 })
        const id = known[Math.floor(at * known.length)]?.delivery.id ?? "evt_none"
        return catalog.redeliver({ id, now, callbackUrl })
      }
    },
    releaseClaims: () => (catalog) => catalog.releaseClaims(now),
    deleteFiles: () => {
      const files = [chance(0.7) ? { fileKey: pick(keys) } : { customId: "mine" }]
      return async (catalog) => {
        const deleted = await catalog.deleteFiles({ appId: "app", files, now })
        return deleted === "tooMany" ? deleted : deleted.toSorted()
      }
    },
    changeFiles: () => {
      const file = chance(0.5) ? { fileKey: pick(keys) } : { customId: "mine" }
      const changes = [{ file, name: "new", ...(chance(0.5) && { path: pick(["p/1", "p/2", null]) }) }]
      return (catalog) => catalog.changeFiles({ appId: "app", changes, now })
    },
    expire: () => {
      const before = { expiredBefore: now, unregisteredBefore: now - 2000, abandonedBefore: now - pick([0, 2000]) }
      return (catalog, createEventId) => catalog.expire({ ...before, limit: 100, now, createEventId })
    },
    prune: () => {
      const before = now - pick([0, 3000])
      return (catalog) => catalog.prune({ before, limit: 100 })
    },
    reclaim: () => {
      const limit = pick([1, 10])
      return async (catalog) => {
        const files = await catalog.listReclaimable(limit)
        for (const file of files) await catalog.reclaimed(file)
        return files
      }
    },
    forgetTombstones: () => (catalog) => catalog.forgetTombstones({ now, limit: 100 }),
    findRegistration: () => {
      const upload = { appId: "app", key: pick(keys), id: pick([undefined, "x", "y"]) }
      return (catalog) => catalog.findRegistration(upload)
    },
  }

  /** What the URL of an upload says of its registration, if it does. */
  const createRegistration = () =>
    chance(0.4)
      ? {
          metadata: pick(["2", '"sealed"']),
          callbackUrl: "http://app.example/api/sluice",
          callbackSlug: "avatar",
          awaitServerData: true,
          isDev: false,
          trace: null,
        }
      : undefined

  /** What the app says of the file itself; its time to be claimed or kept may pass. */
  const createLabels = () => ({
    ...(chance(0.7) && { path: pick(["p/1", "p/2"]) }),
    ...(chance(0.5) && { owner: pick(["u", "v"]) }),
    ...(chance(0.3) && { keepFor: pick([100, 5000]) }),
    ...(chance(0.2) && { claimWithin: 5000 }),
    ...(chance(0.1) && { hold: true }),
  })

  const createGrant = () => {
    const issuedAt = chance(0.6) ? now - pick([0, 100, 2000]) : undefined
    return grantOf(pick(keys), {
      size: pick([5, 5, 6]),
      slug: chance(0.8) ? "avatar" : undefined,
      registrationId: pick([undefined, "x", "y"]),
      issuedAt,
      customId: chance(0.3) ? "mine" : undefined,
      expires: now + pick([500, 1000, 5000]),
    })
  }
  const names = Object.keys(steps)
  return (): Step => {
    now += pick([0, 1, 100, 1000])
    // Half of all steps concern the life of an upload.
    const name = chance(0.5) ? pick(["begin", "begin", "commit", "fail", "register"]) : pick(names)
    return { says: `${name} at ${now}`, now, run: steps[name]!() }
  }
}

/** All that can be read of a catalog at a moment. */
const readAll = async (catalog: Catalog, now: number) => {
  const deliveries = await catalog.listDeliveries({ limit: 1000 })
  return {
    uploads: await Promise.all(keys.map((key) => catalog.get(key))),
    deliveries,
    attempts: await Promise.all(deliveries.map(({ delivery }) => catalog.listAttempts(delivery.id))),
    tombstones: await Promise.all(keys.map((key) => catalog.findTombstone("app", key))),
    usage: await catalog.usage("app"),
    reclaimable: await catalog.listReclaimable(1000),
    counts: await catalog.countDeliveries(1000),
    mine: await catalog.findByCustomId("app", "mine"),
    byPath: await Promise.all(
      ["p/1", "p/2"].flatMap((path) =>
        [undefined, "u"].map((owner) => catalog.findByPath({ appId: "app", path, owner, now })),
      ),
    ),
  }
}

/** Puts a file's number in the order of sight, and a registration's, into the place of its id: a driver may leave some out. */
const createNumbering = () => {
  const seen = { file: new Array<number>(), registration: new Array<number>() }
  const number = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(number)
    if (typeof value !== "object" || value === null) return value
    const entries = Object.entries(value).map(([name, each]) => {
      if (name !== "id" || typeof each !== "number") return [name, number(each)]
      const ids = "metadata" in value ? seen.registration : seen.file
      if (!ids.includes(each)) ids.push(each)
      return [name, ids.indexOf(each)]
    })
    return Object.fromEntries(entries)
  }
  return number
}

/** Does the same to a catalog in memory and to another one, at random, and compares everything that both say of it. */
export const walkBeside = async (other: Catalog, seed: number): Promise<void> => {
  const nextStep = createSteps(createRandom(seed))
  const open = (catalog: Catalog) => {
    let events = 0
    return { catalog, createEventId: () => `evt_${++events}`, number: createNumbering() }
  }
  const [memory, beside] = [open(createMemoryCatalog()), open(other)]
  const taken: Array<string> = []
  for (let index = 0; index < 60; index++) {
    const { says, now, run } = nextStep()
    taken.push(says)
    const take = async ({ catalog, createEventId, number }: ReturnType<typeof open>) => ({
      answer: number(await run(catalog, createEventId)),
      all: number(await readAll(catalog, now)),
    })
    // The one in memory may give more than it is asked for.
    expect(await take(memory), taken.slice(-12).join(", ")).toMatchObject(await take(beside))
  }
  await other.close()
}
