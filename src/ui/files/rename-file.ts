import { findNameMistake } from "../../protocol/files/file-name.ts"
import { findPathMistake } from "../../protocol/files/file-path.ts"
import { keepPath } from "./file-paths.ts"
import { type ChosenItem, describeFile, isChosen } from "../controller/upload-item.ts"
import type { UploadItem } from "../controller/upload-state.ts"

/** Why a name is invalid for a file: it is empty, contains a forbidden character, or is too long. */
export type NameMistake = "empty" | "character" | "length"

/** Characters that lead to another folder, or cannot be stored everywhere. */
const forbidden = /[/\\\p{Cc}\u2028\u2029]/u

/** What is wrong with a name; `path` is that of the file that gets it, if it has one. */
export const findMistake = (name: string, path?: string): NameMistake | undefined => {
  if (/^[\s.]*$/u.test(name)) return "empty"
  if (forbidden.test(name) || !name.isWellFormed()) return "character"
  const whole = path && path.slice(0, path.lastIndexOf("/") + 1) + name
  return findNameMistake(name) !== undefined || (whole && findPathMistake(whole) !== undefined) ? "length" : undefined
}

/** Whether a file can be renamed: it waits for its upload, or was refused because of its name. */
export const canRename = (item: UploadItem): item is ChosenItem =>
  isChosen(item) &&
  (item.status === "picked" || (item.status === "failed" && findMistake(item.file.name, item.path) !== undefined))

/** The same file under another name: in its folder, with its time, which identifies it after a reload. */
export const nameFile = (file: File, name: string): File => {
  const { type, lastModified, webkitRelativePath } = file
  return keepPath(new File([file], name, { type, lastModified }), webkitRelativePath)
}

/** An item under another name; one that was refused for its old name is picked. */
export const renameItem = (item: ChosenItem, name: string): ChosenItem => ({
  ...item,
  ...describeFile(nameFile(item.file, name)),
  status: "picked",
  error: undefined,
  canRetry: undefined,
})
