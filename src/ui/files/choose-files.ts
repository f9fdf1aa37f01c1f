import { findNameMistake } from "../../protocol/files/file-name.ts"
import type { RouteConfig } from "../../protocol/files/route-config.ts"
import { UploadError } from "../../protocol/errors/upload-error.ts"
import { takesSeveral } from "./accepted-files.ts"
import { checkFiles } from "./check-files.ts"
import { findMistake } from "./rename-file.ts"
import { findFolderMistake } from "./folder-mistakes.ts"
import { isLitter } from "./litter.ts"
import { type ChosenItem, createUploadItem, describeFile, isChosen } from "../controller/upload-item.ts"
import { isActive, type UploadItem } from "../controller/upload-state.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"

/** The effect of a choice of files on a list. */
export interface Choice {
  /** Files that were not listed before; those that the route would refuse are failed. */
  readonly fresh: ReadonlyArray<ChosenItem>
  /** Files that were listed before and stay. */
  readonly kept: ReadonlyArray<UploadItem>
}

/** Equal for the same file in the same folder. */
const identify = (file: File): string =>
  JSON.stringify([file.name, file.size, file.lastModified, describeFile(file).path])

/** One name that the protocol does not allow would fail a whole upload. */
const refuseName = ({ name }: File, texts: UploadTexts): UploadError | undefined =>
  findNameMistake(name) === undefined
    ? undefined
    : new UploadError({
        code: "BAD_REQUEST",
        message: name === "" ? texts.unnamed() : texts.nameMistake(findMistake(name) ?? "length"),
      })

/** Whether a file is uploading, or waits for the user. */
export const isPending = (item: UploadItem): boolean =>
  isActive(item) || item.status === "picked" || item.status === "paused"

/**
 * Whether a file counts towards the route's limit.
 *
 * @param isField whether the list is the value of a form's field: stored files then count, too
 */
export const takesPlace = ({ status }: UploadItem, isField: boolean): boolean =>
  status === "picked" || (isField && status !== "failed" && status !== "aborted")

/**
 * Determines the effect of a choice on a list. Stored files stay. When nothing is left to do, failed and cancelled
 * files are removed. Where the route takes one file, a choice that can be sent replaces a file that is not stored yet.
 *
 * @param isField whether the list is the value of a form's field: stored files then count, too
 */
export const chooseFiles = (
  files: ReadonlyArray<UploadItem>,
  incoming: Iterable<File>,
  config: RouteConfig | undefined,
  texts: UploadTexts,
  isField: boolean,
): Choice => {
  const isSingle = config !== undefined && !takesSeveral(config)
  const isOver = !files.some(isPending)
  const pending = new Set(
    files
      .filter(isChosen)
      .filter(isPending)
      .map(({ file }) => identify(file)),
  )
  // A folder that was chosen, unlike one that was dropped, comes with all that is in it.
  const isWanted = (file: File): boolean => !(file.webkitRelativePath && isLitter(file))
  const chosen = [...incoming].filter((file) => isWanted(file) && !pending.has(identify(file)))
  const counted = isSingle ? [] : files.filter((item) => takesPlace(item, isField))
  const errors = config === undefined ? [] : checkFiles(chosen, counted, config, texts)
  const fresh = chosen.map((file, index) =>
    createUploadItem(file, findFolderMistake(file, texts) ?? refuseName(file, texts) ?? errors[index]),
  )
  const isReplaced = isSingle && fresh.some(({ status }) => status === "picked")
  const kept = files.filter((item) => {
    if (item.status === "done") return true
    if (isPending(item)) return !isReplaced
    return !isOver && !isSingle
  })
  return { fresh, kept }
}
