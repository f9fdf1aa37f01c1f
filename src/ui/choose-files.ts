import { findNameMistake } from "../protocol/file-name.ts"
import type { RouteConfig } from "../protocol/route-config.ts"
import { UploadError } from "../protocol/upload-error.ts"
import { takesSeveral } from "./accepted-files.ts"
import { checkFiles } from "./check-files.ts"
import { findMistake } from "./rename-file.ts"
import { findFolderMistake } from "./folder-mistakes.ts"
import { type ChosenItem, createUploadItem, describeFile, isChosen } from "./upload-item.ts"
import { isActive, type UploadItem } from "./upload-state.ts"
import type { UploadTexts } from "./upload-texts.ts"

/** What a choice of files makes of a list. */
export interface Choice {
  /** What was not listed before; what the route would refuse as failed. */
  readonly fresh: ReadonlyArray<ChosenItem>
  /** What was listed before and stays. */
  readonly kept: ReadonlyArray<UploadItem>
}

/** The same for what is the same file in the same folder. */
const identify = (file: File): string =>
  JSON.stringify([file.name, file.size, file.lastModified, describeFile(file).path])

/** One name that the protocol does not take would be the end of a whole upload. */
const refuseName = ({ name }: File, texts: UploadTexts): UploadError | undefined =>
  findNameMistake(name) === undefined
    ? undefined
    : new UploadError({
        code: "BAD_REQUEST",
        message: name === "" ? texts.unnamed() : texts.nameMistake(findMistake(name) ?? "length"),
      })

/** Whether a file is on its way, or waits for the user. */
export const isPending = (item: UploadItem): boolean =>
  isActive(item) || item.status === "picked" || item.status === "paused"

/**
 * Whether a file counts towards what the route takes.
 *
 * @param isField whether the list is the value of a form's field: then stored files count, too
 */
export const takesPlace = ({ status }: UploadItem, isField: boolean): boolean =>
  status === "picked" || (isField && status !== "failed" && status !== "aborted")

/**
 * Finds out what a choice makes of a list. Stored files stay. With nothing left to do, what has failed or was cancelled
 * makes room. Where the route takes one file, a choice that can be sent takes the place of what is not stored yet.
 *
 * @param isField whether the list is the value of a form's field: then stored files count, too
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
  const chosen = [...incoming].filter((file) => !pending.has(identify(file)))
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
