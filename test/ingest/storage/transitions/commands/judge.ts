import * as fc from "fast-check"
import type { Command } from "../command.ts"
import { appId, createEventId, key, keyAtDoor } from "../given.ts"
import { appOf, countFrom, findCurrent, isHeld, type Kept, type Model, update } from "../model.ts"

/** An app says what its callback returns, at a moment of its choice. */
export const report: Command<{ readonly key: string }, boolean> = {
  name: "report",
  weight: 2,
  given: fc.record({ key }),
  run: {
    model: (model, { key }) => {
      const known = findCurrent(model, key)
      if (known === undefined) return [model, false]
      const isKept = known.file.status === "Uploaded" && !isHeld(known)
      return [isKept ? update(model, known.number, { hasResult: true }) : model, true]
    },
    catalog: (catalog, { key }, { now }) =>
      catalog.recordResult({ appId: appOf(key), key, result: { data: "1" }, now }),
  },
}

interface Judgement {
  readonly appId: string
  readonly keys: ReadonlyArray<string>
  /** Undefined: they are released. */
  readonly rejected: { readonly reason?: string | undefined } | undefined
  /** Whether ids are named as well: those of the files, or those of files that were never there. */
  readonly ids: "none" | "own" | "wrong"
}

const rejected = fc.constantFrom(undefined, undefined, undefined, {}, { reason: "It has a virus." })

/** What a verdict makes of a file. */
const release = ({ file }: Kept, now: number): Partial<Kept["file"]> => ({
  hold: false,
  releasedAt: now,
  ...countFrom(file, now),
})

const reject = (reason: string | undefined, now: number): Partial<Kept["file"]> => ({
  hold: false,
  status: "Failed",
  failure: { code: "REJECTED", message: reason ?? "The file was rejected." },
  endedAt: now,
})

/** An app says of files that are held whether they may be read. */
export const judgeFiles: Command<Judgement, ReadonlyArray<string>> = {
  name: "judge",
  weight: 5,
  given: fc.record({
    appId,
    keys: fc.uniqueArray(key, { minLength: 1, maxLength: 3, size: "max" }),
    rejected,
    ids: fc.constantFrom("none", "none", "own", "wrong"),
  }),
  givenAtDoor: fc.record({
    appId: fc.constant("app"),
    keys: fc.uniqueArray(keyAtDoor, { minLength: 1, maxLength: 2, size: "max" }),
    rejected,
    ids: fc.constant("none"),
  }),
  run: {
    model: (model: Model, { appId, keys, rejected, ids }) => {
      const { now } = model
      const judged = keys
        .map((key) => findCurrent(model, key))
        .filter((kept) => kept !== undefined && isHeld(kept) && kept.file.appId === appId && ids !== "wrong")
      const after = judged.reduce(
        (before, kept) =>
          update(before, kept!.number, {
            file: rejected === undefined ? release(kept!, now) : reject(rejected.reason, now),
            event: kept!.isRegistered ? "pending" : null,
          }),
        model,
      )
      return [after, judged.map((kept) => kept!.file.key)]
    },
    catalog: async (catalog, { appId, keys, rejected, ids }, { now }) => {
      const idOf = async (key: string) => {
        const id = (await catalog.get(key))?.file.id
        return id === undefined || ids === "none" ? undefined : id + (ids === "own" ? 0 : 1000)
      }
      const judged = await catalog.judgeHeld({
        appId,
        files: await Promise.all(keys.map(async (key) => ({ key, id: await idOf(key) }))),
        verdict: rejected === undefined ? { kind: "release" } : { kind: "reject", ...rejected },
        now,
        createEventId,
      })
      return judged.map(({ file }) => file.key)
    },
    door: async (door, { keys, rejected }) => {
      const fileKeys = keys.map(door.toKey)
      const answer =
        rejected === undefined
          ? await door.call<{ releasedKeys: ReadonlyArray<string> }>("releaseFiles", { fileKeys })
          : await door.call<{ rejectedKeys: ReadonlyArray<string> }>("rejectFiles", { fileKeys, ...rejected })
      return ("releasedKeys" in answer ? answer.releasedKeys : answer.rejectedKeys).map(door.toName)
    },
  },
  mayEnd: (kept, { rejected }, answer) => isHeld(kept) && rejected !== undefined && answer.includes(kept.file.key),
  mayRelease: (kept, _, answer) => isHeld(kept) && answer.includes(kept.file.key),
}
