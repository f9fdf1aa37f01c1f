import type { RouteConfig } from "../../protocol/files/route-config.ts"
import { UploadError } from "../../protocol/errors/upload-error.ts"
import { type AcceptedKind, listKinds } from "./accepted-files.ts"
import { createFindKind, createFindStoredKind } from "./check-files.ts"
import type { MissingFiles, UploadItem } from "../controller/upload-state.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"

/**
 * Whether a file was refused because there are too many. This does not include refusals of a server, for which
 * `canRetry` is set.
 */
const isSurplus = ({ status, error, canRetry }: UploadItem): boolean =>
  status === "failed" && canRetry === undefined && error?.code === "TOO_MANY_FILES"

/**
 * Checks the number of files against a route after every change of the list. Files that were too many are picked once
 * there is room, in the order of the list; picked files stay picked.
 *
 * @param takesPlace whether a file counts that is neither picked nor too many, such as a stored one
 * @returns the same object where nothing changes
 */
export const judgeCounts = (
  items: ReadonlyArray<UploadItem>,
  config: RouteConfig | undefined,
  texts: UploadTexts,
  takesPlace: (item: UploadItem) => boolean = () => false,
): ReadonlyArray<UploadItem> => {
  if (config === undefined || !items.some((item) => item.status === "picked" || isSurplus(item))) return items
  const findKind = createFindKind(config)
  const findStoredKind = createFindStoredKind(config)
  const left = new Map<AcceptedKind["kind"], number>()
  const take = ({ kind, maxFileCount }: AcceptedKind): boolean => {
    const places = left.get(kind) ?? maxFileCount
    left.set(kind, places - 1)
    return places > 0
  }
  for (const item of items) {
    const kind = item.status !== "picked" && takesPlace(item) ? findStoredKind(item) : undefined
    if (kind !== undefined) take(kind)
  }
  let isSame = true
  const judged = items.map((item) => {
    const kind = item.status === "picked" || isSurplus(item) ? findKind(item) : undefined
    if (kind === undefined) return item
    const isTaken = take(kind)
    if (isTaken === (item.status === "picked")) return item
    isSame = false
    return isTaken
      ? { ...item, status: "picked" as const, error: undefined }
      : {
          ...item,
          status: "failed" as const,
          error: new UploadError({ code: "TOO_MANY_FILES", message: texts.tooMany(kind) }),
        }
  })
  return isSame ? items : judged
}

/**
 * Whether the picked files are too few for one upload, by the rule of the route handler: a kind without any file is
 * not required. Files of a type that the browser does not know may be of any kind, so the server decides about those.
 */
export const findMissing = (
  items: ReadonlyArray<UploadItem>,
  config: RouteConfig | undefined,
): MissingFiles | undefined => {
  const picked = items.filter(({ status }) => status === "picked")
  if (config === undefined || picked.length === 0) return undefined
  const kinds = picked.map(createFindKind(config))
  if (kinds.includes(undefined)) return undefined
  for (const kind of listKinds(config)) {
    const count = kinds.filter((each) => each?.kind === kind.kind).length
    if (count > 0 && count < kind.minFileCount) return { kind, count: kind.minFileCount - count }
  }
  return undefined
}
