import type { ResumeStore } from "../../client/resume/resume-store.ts"

/** Called with the handle of a file, where the browser provides one. */
type AttachHandle = ResumeStore["attachHandle"]

/** Only in Chromium, and missing in the DOM's declarations. */
type ItemWithHandle = DataTransferItem & { getAsFileSystemHandle?: () => Promise<FileSystemHandle | null> }

const readItem = (item: ItemWithHandle, attach: AttachHandle | undefined): Promise<ReadonlyArray<File>> => {
  // All of these must be called before anything is awaited: after the event the items are empty.
  const entry = item.webkitGetAsEntry?.()
  const file = item.getAsFile()
  const handle = attach && item.getAsFileSystemHandle?.()
  const alone = file === null ? [] : [file]
  if (entry?.isDirectory) {
    return import("../files/read-folder.ts").then(
      ({ readFolder }) => readFolder(entry),
      () => alone,
    )
  }
  if (file === null) return Promise.resolve(alone)
  const attached = handle?.then(
    (got) => got?.kind === "file" && attach?.(file, got as FileSystemFileHandle),
    () => undefined, // not from a disk
  )
  return Promise.resolve(attached).then(() => alone)
}

/** The files of a drop or a paste, including those in dropped folders. Call it during the event. */
export const readTransfer = async ({ items }: DataTransfer, attach?: AttachHandle): Promise<ReadonlyArray<File>> => {
  const files = [...items].filter(({ kind }) => kind === "file")
  return (await Promise.all(files.map((item) => readItem(item, attach)))).flat()
}

/** Whether a drag brings files, rather than text or a link. */
export const hasFiles = (transfer: DataTransfer | null): transfer is DataTransfer =>
  transfer?.types.includes("Files") === true
