import { parseMediaType } from "../../protocol/files/media-type.ts"
import type { RouteConfig } from "../../protocol/files/route-config.ts"
import type { AcceptedKind } from "../files/accepted-files.ts"
import { createFindKind } from "../files/check-files.ts"
import type { DragVerdict } from "../controller/upload-state.ts"

/** What a page may know of a file that is dragged over it. */
export interface DraggedItem {
  readonly kind: string
  readonly type: string
}

/**
 * Checks dragged files against a route. A browser reveals only their types, and not always: a folder, or a file that
 * it does not know, has none, Firefox gives all of them the same one, Safari lists nothing. Unknown files may be
 * accepted.
 *
 * @param others media types of the files that already count
 */
export const judgeDrag = (
  items: Iterable<DraggedItem>,
  config: RouteConfig | undefined,
  others: ReadonlyArray<string> = [],
): DragVerdict => {
  const files = [...items].filter(({ kind }) => kind === "file")
  const findKind = createFindKind(config ?? {})
  const taking = new Map<AcceptedKind["kind"], number>()
  let taken = 0
  let isTypeRefused = false
  const add = (given: string, take: () => void) => {
    const type = parseMediaType(given)
    if (config === undefined || type === undefined || type === "application/x-moz-file") return take()
    const kind = findKind({ type: given })
    if (kind === undefined) {
      isTypeRefused = true
      return
    }
    const count = (taking.get(kind.kind) ?? 0) + 1
    taking.set(kind.kind, count)
    if (count <= kind.maxFileCount) take()
  }
  for (const type of others) add(type, () => {})
  isTypeRefused = false
  for (const { type } of files) add(type, () => taken++)
  const count = files.length
  return {
    fit: taken === count ? "over" : taken > 0 ? "partly" : "refused",
    count,
    taken,
    reason: taken === count ? undefined : isTypeRefused ? "type" : "count",
  }
}
