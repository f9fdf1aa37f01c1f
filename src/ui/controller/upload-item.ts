import { toShownName } from "../files/shown-name.ts"
import type { UploadError } from "../../protocol/errors/upload-error.ts"
import type { UploadItem } from "./upload-state.ts"

/** The properties that identify a file, also after a reload. */
type FileIdentity = Pick<File, "name" | "size" | "lastModified">

export const isSameFile = (a: FileIdentity, b: FileIdentity): boolean =>
  a.name === b.name && a.size === b.size && a.lastModified === b.lastModified

/** An item whose file is available. */
export type ChosenItem = UploadItem & { readonly file: File }

export const isChosen = (item: UploadItem): item is ChosenItem => item.file !== undefined

/** The properties that an item takes from its file. */
export const describeFile = (file: File) => ({
  file,
  name: toShownName(file.name),
  path: file.webkitRelativePath || undefined,
  size: file.size,
  type: file.type,
})

let count = 0
const ids = new WeakMap<File, string>()

/** Lets a file be listed next under its previous id. */
export const keepId = (file: File, id: string): void => {
  ids.set(file, id)
}

const takeId = (file: File): string => {
  const id = ids.get(file) ?? `${++count}`
  ids.delete(file)
  return id
}

/** Lists a file: as picked, or as failed with the error that keeps it from being sent. */
export const createUploadItem = (file: File, error?: UploadError): ChosenItem => ({
  id: takeId(file),
  ...describeFile(file),
  status: error === undefined ? "picked" : "failed",
  progress: 0,
  loaded: 0,
  previewUrl: undefined,
  error,
})
