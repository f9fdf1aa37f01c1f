import * as fc from "fast-check"
import type { FileReference } from "../../../../../src/protocol.ts"
import { type Command, expectSame } from "../command.ts"
import { appId, key, keyAtDoor, path, reference, referenceAtDoor } from "../given.ts"
import {
  appOf,
  bury,
  deleteKept,
  findCurrent,
  forget,
  isHeld,
  isOverdue,
  type Kept,
  type Model,
  owners,
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
  /** `own`: that of the first file. */
  readonly owner: string | undefined
}

const ownerOf = (model: Model, { owner, keys }: Claim): string | undefined =>
  owner === "own" ? (findCurrent(model, keys[0]!)?.file.owner ?? undefined) : owner

const claimant = fc.constantFrom(undefined, undefined, "own", "own", ...owners)

/** What an ingest says of files that are missing. */
type Missing = { readonly data?: { readonly missing: ReadonlyArray<string> } }

type Claimed = { readonly missing: ReadonlyArray<string> } | { readonly replaced: ReadonlyArray<string> }

/** An app claims files, perhaps in the place of others. */
export const claim: Command<Claim, Claimed> = {
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
    owner: claimant,
  }),
  givenAtDoor: fc.record({
    appId: fc.constant("app"),
    keys: fc.uniqueArray(keyAtDoor, { minLength: 1, maxLength: 2, size: "max" }),
    replaces: fc.array(
      keyAtDoor.map((fileKey) => ({ fileKey })),
      { maxLength: 2, size: "max" },
    ),
    owner: claimant,
  }),
  run: {
    model: (model, given) => {
      const { appId, keys, replaces } = given
      const owner = ownerOf(model, given)
      const isOf = ({ file }: Kept) => file.appId === appId && (owner === undefined || file.owner === owner)
      const missing = keys.filter((key) => {
        const known = findCurrent(model, key)
        if (known === undefined || !isOf(known) || isOverdue(known, model.now)) return true
        return known.file.status !== "Uploading" && known.file.status !== "Uploaded"
      })
      if (missing.length > 0) return [model, { missing }]
      const claimed = keys
        .map((key) => findCurrent(model, key)!)
        .filter(({ file }) => file.claimWithin !== null || file.claimBy !== null)
        .reduce(
          (before, { number }) =>
            update(before, number, { file: { claimWithin: null, claimBy: null, claimedAt: model.now } }),
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
    catalog: async (catalog, given, model) => {
      const claimed = await catalog.claimFiles({ ...given, owner: ownerOf(model, given), now: model.now })
      if (claimed.kind === "missing") return { missing: claimed.keys }
      if (claimed.kind === "claimed") return { replaced: claimed.replaced.toSorted() }
      throw new Error("The app is there.")
    },
    door: async (door, given, model) => {
      const { keys, replaces } = given
      const owner = ownerOf(model, given)
      const former = replaces.flatMap((file) => ("fileKey" in file ? [door.toKey(file.fileKey)] : []))
      const claimed = await door.call<{ claimedCount: number; replacedCount: number } & Missing>("claimFiles", {
        fileKeys: keys.map(door.toKey),
        ...(former.length > 0 && { replaces: former }),
        ...(owner !== undefined && { owner }),
      })
      if (claimed.data !== undefined) return { missing: claimed.data.missing.map(door.toName) }
      // Which ones were replaced is seen by reading them.
      const [, expected] = claim.run.model(model, given, { missing: [] })
      const counted = "replaced" in expected ? [keys.length, expected.replaced.length] : []
      expectSame([claimed.claimedCount, claimed.replacedCount], counted, "how many are claimed and replaced")
      return expected
    },
  },
  mayEnd: ({ file }, { keys }, answer) =>
    "replaced" in answer && answer.replaced.includes(file.key) && !keys.includes(file.key),
  mayClaim: ({ file }, { keys }, answer) => "replaced" in answer && keys.includes(file.key),
}

interface Deletion {
  readonly appId: string
  readonly files: ReadonlyArray<FileReference>
}

/** An app deletes files, also those that have not come yet. */
export const deleteFiles: Command<Deletion, ReadonlyArray<string>> = {
  name: "delete",
  weight: 3,
  given: fc.record({ appId, files: fc.array(reference, { minLength: 1, maxLength: 2 }) }),
  givenAtDoor: fc.record({ appId: fc.constant("app"), files: referenceAtDoor.map((file) => [file]) }),
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
    door: async (door, { files: [file] }) => {
      const asked = "fileKey" in file! ? { fileKeys: [door.toKey(file.fileKey)] } : { customIds: [file!.customId] }
      const { deletedKeys } = await door.call<{ deletedKeys: ReadonlyArray<string> }>("deleteFiles", asked)
      return deletedKeys.map(door.toName).toSorted()
    },
  },
  mayEnd: ({ file }, _, answer) => answer.includes(file.key),
}

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
export const changeFiles: Command<Change, number> = {
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
        removeIn: fc.constantFrom(undefined, undefined, null, 1, 100, 1000),
      }),
      { minLength: 1, maxLength: 2 },
    ),
  }),
  // One field at a time, and whole seconds.
  givenAtDoor: fc.record({
    appId: fc.constant("app"),
    changes: fc
      .tuple(
        referenceAtDoor,
        fc.oneof(
          fc.record({ name: fc.constant("new.txt") }),
          fc.record({ acl: fc.constantFrom("public-read" as const, "private" as const) }),
          fc.record({ path: fc.constantFrom("a/b", null) }),
          fc.record({ removeIn: fc.constantFrom(null, 1000, 1000) }),
        ),
      )
      .map(([file, change]) => [{ file, ...change }]),
  }),
  run: {
    model: (model, given) => {
      let next = model
      let count = 0
      for (const { file: asked, name, acl, path, removeAt } of toChanges(given, model.now)) {
        const meant = findMeant(next, given.appId, asked).filter(
          (kept) => kept.file.status === "Uploaded" && !isHeld(kept) && !isOverdue(kept, model.now),
        )
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
    catalog: async (catalog, given, { now }) => {
      const changed = await catalog.changeFiles({ appId: given.appId, changes: toChanges(given, now), now })
      if (typeof changed === "string") throw new Error("There is no bound.")
      return changed
    },
    door: async (door, { changes: [change] }) => {
      const { file, name, acl, path, removeIn } = change!
      const meant = "fileKey" in file ? { fileKey: door.toKey(file.fileKey) } : file
      const [operation, counted, asked] =
        name !== undefined
          ? ["renameFiles", "renamedCount", { newName: name }]
          : acl !== undefined
            ? ["updateACL", "updatedCount", { acl }]
            : path !== undefined
              ? ["moveFiles", "movedCount", { path }]
              : ["updateFiles", "updatedCount", { expiresIn: removeIn === null ? null : removeIn! / 1000 }]
      return (await door.call<Record<string, number>>(operation, { updates: [{ ...meant, ...asked }] }))[counted]!
    },
  },
}
