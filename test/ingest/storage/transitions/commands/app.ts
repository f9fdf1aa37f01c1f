import * as fc from "fast-check"
import type { FileReference } from "../../../../../src/protocol.ts"
import { defineCommand } from "../command.ts"
import { appId, key, owner, path, reference } from "../given.ts"
import {
  appOf,
  bury,
  deleteKept,
  findCurrent,
  forget,
  isOverdue,
  type Kept,
  type Model,
  update,
  uploadLifetime,
} from "../model.ts"

/** The files of an app that it means, but for those that are being deleted. */
const findMeant = (model: Model, appId: string, asked: FileReference): ReadonlyArray<Kept> =>
  model.files.filter(
    ({ file, isCurrent }) =>
      isCurrent &&
      file.appId === appId &&
      file.status !== "Deleting" &&
      ("fileKey" in asked ? file.key === asked.fileKey : file.customId === asked.customId),
  )

interface Claim {
  readonly appId: string
  readonly keys: ReadonlyArray<string>
  readonly replaces: ReadonlyArray<FileReference>
  readonly owner: string | undefined
}

type Claimed = { readonly missing: ReadonlyArray<string> } | { readonly replaced: ReadonlyArray<string> }

/** An app claims files, perhaps in the place of others. */
export const claim = defineCommand<Claim, Claimed>({
  name: "claim",
  weight: 7,
  given: fc.record({
    appId,
    keys: fc.uniqueArray(fc.oneof({ weight: 9, arbitrary: key }, { weight: 1, arbitrary: fc.constant("never") }), {
      minLength: 1,
      maxLength: 3,
      size: "max",
    }),
    replaces: fc.array(reference, { maxLength: 2, size: "max" }),
    owner: fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: owner }),
  }),
  run: {
    model: (model, { appId, keys, replaces, owner }) => {
      const isOf = ({ file }: Kept) => file.appId === appId && (owner === undefined || file.owner === owner)
      const missing = keys.filter((key) => {
        const known = findCurrent(model, key)
        if (known === undefined || !isOf(known) || isOverdue(known, model.now)) return true
        return known.file.status !== "Uploading" && known.file.status !== "Uploaded"
      })
      if (missing.length > 0) return [model, { missing }]
      const claimed = keys.reduce(
        (before, key) =>
          update(before, findCurrent(model, key)!.number, { file: { claimWithin: null, claimBy: null } }),
        model,
      )
      const replaced = model.files.filter(
        (kept) =>
          isOf(kept) &&
          !keys.includes(kept.file.key) &&
          replaces.some((asked) => findMeant(model, appId, asked).includes(kept)),
      )
      return [replaced.reduce(deleteKept, claimed), { replaced: replaced.map(({ file }) => file.key).toSorted() }]
    },
    catalog: async (catalog, given, { now }) => {
      const claimed = await catalog.claimFiles({ ...given, now })
      if (claimed.kind === "missing") return { missing: claimed.keys }
      if (claimed.kind === "claimed") return { replaced: claimed.replaced.toSorted() }
      throw new Error("The app is there.")
    },
  },
  mayEnd: ({ file }, { keys }, answer) =>
    "replaced" in answer && answer.replaced.includes(file.key) && !keys.includes(file.key),
  mayClaim: ({ file }, { keys }, answer) => "replaced" in answer && keys.includes(file.key),
})

interface Deletion {
  readonly appId: string
  readonly files: ReadonlyArray<FileReference>
}

/** An app deletes files, also those that have not come yet. */
export const deleteFiles = defineCommand<Deletion, ReadonlyArray<string>>({
  name: "delete",
  weight: 3,
  given: fc.record({ appId, files: fc.array(reference, { minLength: 1, maxLength: 2 }) }),
  run: {
    model: (model, { appId, files }) => {
      const { now } = model
      const closed = files.reduce((before, asked) => {
        const known = "fileKey" in asked ? findCurrent(model, asked.fileKey)?.file : undefined
        const isEmpty = known === undefined || (known.appId === appId && known.status === "Deleting")
        if (!("fileKey" in asked) || !isEmpty) return before
        const { fileKey: key } = asked
        const grave = { appId, key, deletedAt: now, until: now + uploadLifetime, hadFile: known !== undefined }
        return bury(appOf(key) === appId ? forget(before, key) : before, grave)
      }, model)
      const meant = model.files.filter((kept) => files.some((asked) => findMeant(model, appId, asked).includes(kept)))
      return [meant.reduce(deleteKept, closed), meant.map(({ file }) => file.key).toSorted()]
    },
    catalog: async (catalog, given, { now }) => {
      const deleted = await catalog.deleteFiles({ ...given, now })
      if (deleted === "tooMany") throw new Error("There is no bound.")
      return deleted.toSorted()
    },
  },
  mayEnd: ({ file }, _, answer) => answer.includes(file.key),
})

interface Change {
  readonly appId: string
  readonly changes: ReadonlyArray<{
    readonly file: FileReference
    readonly name?: string | undefined
    readonly acl?: "public-read" | "private" | undefined
    readonly path?: string | null | undefined
    /** From now on; null: it is kept. */
    readonly removeIn?: number | null | undefined
  }>
}

const toChanges = ({ changes }: Change, now: number) =>
  changes.map(({ removeIn, ...change }) => ({
    ...change,
    removeAt: typeof removeIn === "number" ? now + removeIn : removeIn,
  }))

/** An app renames files, moves them, and says who may read them and how long they are kept. */
export const changeFiles = defineCommand<Change, number>({
  name: "change",
  weight: 4,
  given: fc.record({
    appId,
    changes: fc.array(
      fc.record({
        file: reference,
        name: fc.constantFrom(undefined, undefined, "new.txt"),
        acl: fc.constantFrom(undefined, undefined, "public-read" as const, "private" as const),
        path: fc.oneof(path, fc.constantFrom(undefined, null)),
        removeIn: fc.constantFrom(undefined, undefined, null, 0, 100, 1000),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  }),
  run: {
    model: (model, given) => {
      let next = model
      let count = 0
      for (const { file: asked, name, acl, path, removeAt } of toChanges(given, model.now)) {
        const meant = findMeant(next, given.appId, asked).filter(({ file }) => file.status === "Uploaded")
        if (meant.length > 0) count++
        const changed = {
          ...(name !== undefined && { name }),
          ...(acl !== undefined && { acl }),
          ...(path !== undefined && { path }),
          ...(removeAt !== undefined && { removeAt }),
        }
        next = meant.reduce((before, { number }) => update(before, number, { file: changed }), next)
      }
      return [next, count]
    },
    catalog: (catalog, given, { now }) => catalog.changeFiles({ appId: given.appId, changes: toChanges(given, now) }),
  },
})
