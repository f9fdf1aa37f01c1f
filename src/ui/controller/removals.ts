import { UploadError } from "../../protocol/errors/upload-error.ts"
import { type AcceptedKind, takesSeveral } from "../files/accepted-files.ts"
import { createFindStoredKind } from "../files/check-files.ts"
import { isActive, type RemovedFiles, type UploadItem, type UploadState } from "./upload-state.ts"

/** The files that were removed from a list, as long as they can be restored. */
export interface Removals {
  /**
   * Keeps files that are removed from a list.
   *
   * @param before the list that they were in
   * @param replacedBy id of the file in that list that replaces them
   * @returns the removal for the state
   */
  readonly keep: (
    items: ReadonlyArray<UploadItem>,
    before: ReadonlyArray<UploadItem>,
    replacedBy?: string,
  ) => RemovedFiles
  /** Restores the files removed last. @returns the list with them, undefined where nothing can be restored */
  readonly restore: (state: UploadState) => RestoredFiles | undefined
  /** The last removal whose files still have a place in the list of a state; the same object where nothing has changed. */
  readonly trim: (state: UploadState) => RemovedFiles | undefined
  readonly forget: () => void
}

/** The result of {@link Removals.restore} for a list. */
interface RestoredFiles {
  readonly files: ReadonlyArray<UploadItem>
  readonly restored: ReadonlyArray<UploadItem>
  /** Files that had replaced them, and are no longer in the list. */
  readonly displaced: ReadonlyArray<UploadItem>
  /** The removal before that. */
  readonly removed: RemovedFiles | undefined
}

/** The most removals that are kept: a page that removes files more often than they are forgotten must not hold them all. */
const most = 50

/** Where a file that is not listed belongs: after the nearest file of those that were before it. */
export const findPlace = (
  files: ReadonlyArray<UploadItem>,
  id: string | undefined,
  order: ReadonlyArray<string>,
): number => {
  const listed = new Map(files.map((item, index) => [item.id, index]))
  const before = order.slice(0, Math.max(0, order.indexOf(id ?? ""))).findLast((other) => listed.has(other))
  return before === undefined ? 0 : listed.get(before)! + 1
}

/** Puts files back to where {@link findPlace} finds their places. */
const putBack = (
  files: ReadonlyArray<UploadItem>,
  restored: ReadonlyArray<UploadItem>,
  order: ReadonlyArray<string>,
): ReadonlyArray<UploadItem> => {
  const listed = new Set(files.map(({ id }) => id))
  const open = new Map(restored.map((item) => [item.id, item]))
  const first: Array<UploadItem> = []
  const after = new Map<string, Array<UploadItem>>()
  let place = first
  for (const id of order) {
    if (listed.has(id)) after.set(id, (place = []))
    const item = open.get(id)
    if (item !== undefined) place.push(item)
  }
  return [...first, ...files.flatMap((item) => [item, ...(after.get(item.id) ?? [])])]
}

/** A file as it is restored: its upload was ended with its removal, and its picture released. */
const revive = (item: UploadItem): UploadItem => ({
  ...item,
  ...(item.file && { previewUrl: undefined, previewSize: undefined }),
  ...((isActive(item) || item.status === "paused") && {
    status: "aborted" as const,
    waitingFor: undefined,
    retryAt: undefined,
    error: new UploadError({ code: "ABORTED", message: "The upload was aborted." }),
  }),
})

/** Leaves out stored files whose place in a form's field is now taken, by a file that is stored or uploading. */
const listFitting = (
  { files, routeConfig: config }: UploadState,
  { files: items, replacedBy }: Pick<RemovedFiles, "files" | "replacedBy">,
) => {
  if (config === undefined || items.every(({ key }) => key === undefined)) return items
  const findKind = createFindStoredKind(config)
  const left = new Map<AcceptedKind["kind"], number>()
  const take = (item: UploadItem): boolean => {
    const kind = findKind(item)
    if (kind === undefined) return true
    const places = left.get(kind.kind) ?? kind.maxFileCount
    left.set(kind.kind, places - 1)
    return places > 0
  }
  // Where one file is taken, the previous one stays until the next one is stored.
  const isTaken = (item: UploadItem) =>
    item.status === "done" || (takesSeveral(config) && (isActive(item) || item.status === "paused"))
  files.filter((item) => item.id !== replacedBy && isTaken(item)).forEach(take)
  return items.filter((item) => item.key === undefined || take(item))
}

/**
 * Keeps removals in a stack, so that each can be undone in turn.
 *
 * @param isField whether the list is the value of a form's field: stored files then count towards its limits
 */
export const createRemovals = (isField: () => boolean): Removals => {
  let kept: ReadonlyArray<RemovedFiles> = []

  const trim: Removals["trim"] = (state) => {
    if (!isField()) return kept.at(-1)
    kept = kept
      .map((removed) => {
        const files = listFitting(state, removed)
        return files.length === removed.files.length ? removed : { ...removed, files }
      })
      .filter(({ files }) => files.length > 0)
    return kept.at(-1)
  }
  return {
    trim,
    keep: (items, before, replacedBy) => {
      const removed = { files: items, order: before.map(({ id }) => id), replacedBy }
      kept = [...kept, removed].slice(-most)
      return removed
    },
    restore: (state) => {
      const last = trim(state)
      if (last === undefined) return undefined
      kept = kept.slice(0, -1)
      const displaced = state.files.filter(({ id }) => id === last.replacedBy)
      const files = state.files.filter((item) => !displaced.includes(item))
      const listed = new Set(files.map(({ id }) => id))
      const restored = last.files.filter(({ id }) => !listed.has(id)).map(revive)
      return { files: putBack(files, restored, last.order), restored, displaced, removed: kept.at(-1) }
    },
    forget: () => {
      kept = []
    },
  }
}
