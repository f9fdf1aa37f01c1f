import { UploadError } from "../protocol/upload-error.ts"
import { type AcceptedKind, takesSeveral } from "./accepted-files.ts"
import { createFindStoredKind } from "./check-files.ts"
import { isActive, type RemovedFiles, type UploadItem, type UploadState } from "./upload-state.ts"

/** What was removed from a list, as long as it can come back. */
export interface Removals {
  /**
   * Keeps files that are removed from a list.
   *
   * @param before the list that they were in
   * @param replacedBy id of the file of that list which takes their place
   * @returns what the state says of it
   */
  readonly keep: (
    items: ReadonlyArray<UploadItem>,
    before: ReadonlyArray<UploadItem>,
    replacedBy?: string,
  ) => RemovedFiles
  /** Gives back what was removed last. @returns the list with it, undefined where nothing can come back */
  readonly restore: (state: UploadState) => RestoredFiles | undefined
  /** What was removed last and still has a place in the list of a state; the same object where nothing is new. */
  readonly trim: (state: UploadState) => RemovedFiles | undefined
  readonly forget: () => void
}

/** What {@link Removals.restore} makes of a list. */
interface RestoredFiles {
  readonly files: ReadonlyArray<UploadItem>
  readonly restored: ReadonlyArray<UploadItem>
  /** What had taken their place, and is not in the list any more. */
  readonly displaced: ReadonlyArray<UploadItem>
  /** What was removed before that. */
  readonly removed: RemovedFiles | undefined
}

/** Where a file belongs that is not listed: behind the nearest of those that were before it. */
export const findPlace = (
  files: ReadonlyArray<UploadItem>,
  id: string | undefined,
  order: ReadonlyArray<string>,
): number => {
  const listed = new Map(files.map((item, index) => [item.id, index]))
  const before = order.slice(0, Math.max(0, order.indexOf(id ?? ""))).findLast((other) => listed.has(other))
  return before === undefined ? 0 : listed.get(before)! + 1
}

/** As it comes back: what was on its way was ended with its removal, and its picture given back. */
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

/** Leaves out stored files whose place in a form's field is taken meanwhile, by what is stored or on its way. */
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
  // Where one file is taken, the one before stays until the next is stored.
  const isTaken = (item: UploadItem) =>
    item.status === "done" || (takesSeveral(config) && (isActive(item) || item.status === "paused"))
  files.filter((item) => item.id !== replacedBy && isTaken(item)).forEach(take)
  return items.filter((item) => item.key === undefined || take(item))
}

/**
 * Keeps what is removed, one removal over the other, so that each can be undone in its turn.
 *
 * @param isField whether the list is the value of a form's field: then stored files count towards its limits
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
      kept = [...kept, removed]
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
      for (const item of restored) files.splice(findPlace(files, item.id, last.order), 0, item)
      return { files, restored, displaced, removed: kept.at(-1) }
    },
    forget: () => {
      kept = []
    },
  }
}
