import * as fc from "fast-check"
import { expiryFailure } from "../../../../../src/ingest/storage/upload-rules.ts"
import type { Command } from "../command.ts"
import { createEventId, limit } from "../given.ts"
import { deleteKept, drop, dropLost, end, isOverdue, type Kept, type Model, update } from "../model.ts"

/** All moments after now at which something ends. */
const momentsOf = ({ now, files, graves, expected }: Model): ReadonlyArray<number> =>
  [
    ...files.flatMap(({ file }) => (file.status === "Uploading" ? [file.expires] : [file.removeAt, file.claimBy])),
    ...graves.map(({ until }) => until),
    ...expected.map(({ until }) => until),
  ]
    .filter((at) => at !== null && at > now)
    .toSorted((a, b) => a! - b!) as ReadonlyArray<number>

type Passage = { readonly by: number } | { readonly to: number; readonly less: number; readonly atMost?: number }

const passTo = (model: Model, given: Passage): number => {
  if ("by" in given) return model.now + given.by
  const moments = momentsOf(model).filter((at) => at <= model.now + (given.atMost ?? Infinity))
  const at = moments[given.to % Math.max(moments.length, 1)] ?? model.now + 1
  return Math.max(model.now, at - given.less)
}

/** Time passes: some of it, or until something ends or is just about to. */
export const pass: Command<Passage, null> = {
  name: "pass",
  weight: 9,
  given: fc.oneof(
    { weight: 3, arbitrary: fc.record({ by: fc.constantFrom(1, 50, 100, 1000) }) },
    { weight: 1, arbitrary: fc.record({ by: fc.constantFrom(61_000, 301_000, 700_000_000) }) },
    { weight: 5, arbitrary: fc.record({ to: fc.constantFrom(0, 0, 0, 1, 2), less: fc.constantFrom(0, 0, 1) }) },
  ),
  // The ingest's own sweep ends uploads after a day: there it never comes to that.
  givenAtDoor: fc.oneof(
    { weight: 3, arbitrary: fc.record({ by: fc.constantFrom(1, 50, 100, 1000, 301_000) }) },
    {
      weight: 5,
      arbitrary: fc.record({
        to: fc.constantFrom(0, 0, 0, 1, 2),
        less: fc.constantFrom(0, 0, 1),
        atMost: fc.constant(100_000),
      }),
    },
  ),
  run: {
    model: (model, given) => [{ ...model, now: passTo(model, given) }, null],
    catalog: async () => null,
    // Whoever asks at the door tells the clock what the model says.
    door: async () => null,
  },
}

/** Whether it may be the next one to go: of those that expire, or of those that nobody claims, none ends earlier. */
const isNext = ({ file }: Kept, others: ReadonlyArray<Kept>, now: number): boolean =>
  (["removeAt", "claimBy"] as const).some((which) => {
    const at = file[which]
    return at !== null && at <= now && others.every((other) => (other.file[which] ?? Infinity) >= at)
  })

/** The sweep deletes files whose time has passed. */
export const sweep: Command<{ readonly limit: number }, ReadonlyArray<string>> = {
  name: "sweep",
  weight: 4,
  given: fc.record({ limit }),
  run: {
    model: (model, { limit }, answer) => {
      const overdue = model.files.filter((kept) => kept.file.status === "Uploaded" && isOverdue(kept, model.now))
      // Which of several kinds goes first is the catalog's choice.
      const chosen = overdue.filter(({ file }) => answer.includes(file.key))
      const left = overdue.filter((kept) => !chosen.includes(kept))
      const isLawful =
        chosen.length === Math.min(limit, overdue.length) && chosen.every((kept) => isNext(kept, left, model.now))
      const gone = isLawful ? chosen : overdue.slice(0, limit)
      return [gone.reduce(deleteKept, model), gone.map(({ file }) => file.key).toSorted()]
    },
    catalog: async (catalog, { limit }, { now }) => (await catalog.deleteOverdue({ now, limit })).toSorted(),
  },
  mayEnd: (kept, _, answer, { now }) => isOverdue(kept, now) && answer.includes(kept.file.key),
}

interface Expiry {
  readonly unfinished: number
  readonly unregistered: number
  readonly abandoned: number
}

/** Abandoned uploads and registrations end. */
export const expire: Command<Expiry, number> = {
  name: "expire",
  weight: 2,
  given: fc.record({
    unfinished: fc.constantFrom(0, 1000),
    unregistered: fc.constantFrom(100, 1000),
    abandoned: fc.constantFrom(0, 1000),
  }),
  run: {
    model: (model, { unfinished, unregistered, abandoned }) => {
      const { now } = model
      const expired = model.files.filter(({ file }) => file.status === "Uploading" && file.expires < now - unfinished)
      let next = model
      for (const { number, file } of expired) {
        const failed = { status: "Failed", epoch: file.epoch + 1, failure: expiryFailure, endedAt: now } as const
        next = end(update(next, number, { file: failed }), number)
      }
      const unknown = next.files.filter(
        ({ file, isRegistered }) =>
          file.status === "Uploaded" && file.slug !== null && !isRegistered && file.uploadedAt! < now - unregistered,
      )
      for (const { number } of unknown) next = update(next, number, { file: { status: "Deleting", endedAt: now } })
      const isUnderWay = (upload: Model["expected"][number]) =>
        next.files.some(
          ({ file }) =>
            file.status === "Uploading" && file.key === upload.key && file.registrationId === upload.registrationId,
        )
      const lost = next.expected.filter((upload) => upload.until < now - abandoned && !isUnderWay(upload))
      next = { ...next, expected: next.expected.filter((upload) => !lost.includes(upload)) }
      return [next, expired.length + unknown.length + lost.length]
    },
    catalog: (catalog, { unfinished, unregistered, abandoned }, { now }) =>
      catalog.expire({
        expiredBefore: now - unfinished,
        unregisteredBefore: now - unregistered,
        abandonedBefore: now - abandoned,
        limit: 100,
        now,
        createEventId,
      }),
  },
  mayEnd: ({ file, isRegistered }) => file.slug !== null && !isRegistered,
}

/** The bytes of ended files are removed. */
export const reclaim: Command<{ readonly limit: number }, ReadonlyArray<string>> = {
  name: "reclaim",
  weight: 3,
  given: fc.record({ limit }),
  run: {
    model: (model, { limit }) => {
      const ended = model.files
        .filter(({ file, hasBytes }) => file.status === "Deleting" || (file.status === "Failed" && hasBytes))
        .slice(0, limit)
      let next = model
      for (const { number, file } of ended)
        next =
          file.status === "Deleting" ? drop(next, number) : dropLost(update(next, number, { hasBytes: false }), number)
      return [next, ended.map(({ file }) => file.key)]
    },
    catalog: async (catalog, { limit }) => {
      const ended = await catalog.listReclaimable(limit)
      await Promise.all(ended.map((file) => catalog.reclaimed(file)))
      return ended.map(({ key }) => key)
    },
  },
}

/** Old history is forgotten. */
export const prune: Command<{ readonly age: number }, null> = {
  name: "prune",
  weight: 1,
  given: fc.record({ age: fc.constantFrom(0, 5000) }),
  run: {
    model: (model, { age }) => {
      const old = model.files.filter(
        ({ file, hasBytes, event }) =>
          file.status === "Failed" && !hasBytes && file.expires < model.now - age && event !== "pending",
      )
      return [old.reduce((before, { number }) => drop(before, number), model), null]
    },
    catalog: async (catalog, { age }, { now }) => {
      await catalog.prune({ before: now - age, limit: 100 })
      return null
    },
  },
}

/** Tombstones that have ended are forgotten. */
export const forgetTombstones: Command<null, number> = {
  name: "forget tombstones",
  weight: 1,
  given: fc.constant(null),
  run: {
    model: (model) => {
      const graves = model.graves.filter(({ until }) => until > model.now)
      return [{ ...model, graves }, model.graves.length - graves.length]
    },
    catalog: (catalog, _, { now }) => catalog.forgetTombstones({ now, limit: 100 }),
  },
}
