import type { UploadSessions } from "../client/upload-sessions.ts"

/** Called with the handle of a file, where the browser gives one. */
type AttachHandle = UploadSessions["attachHandle"]

/** What systems leave in folders and nobody means to upload. */
const litter = new Set([".DS_Store", "Thumbs.db", "desktop.ini"])

const readEntry = async (entry: FileSystemEntry): Promise<ReadonlyArray<File>> => {
  if (entry.isFile) {
    return [await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))]
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader()
  const files: Array<File> = []
  for (;;) {
    // A reader gives a hundred entries at a time, and none at the end.
    const entries = await new Promise<Array<FileSystemEntry>>((resolve, reject) => reader.readEntries(resolve, reject))
    if (entries.length === 0) return files
    for (const child of entries) if (!litter.has(child.name)) files.push(...(await readEntry(child)))
  }
}

/** Chromium's own, missing in the DOM's declarations. */
type ItemWithHandle = DataTransferItem & { getAsFileSystemHandle?: () => Promise<FileSystemHandle | null> }

const readItem = (item: ItemWithHandle, attach: AttachHandle | undefined): Promise<ReadonlyArray<File>> => {
  // All of these must be asked before anything is awaited: after the event the items are empty.
  const entry = item.webkitGetAsEntry?.()
  if (entry?.isDirectory) return readEntry(entry)
  const file = item.getAsFile()
  const handle = attach && item.getAsFileSystemHandle?.()
  if (file === null) return Promise.resolve([])
  const attached = handle?.then(
    (got) => got?.kind === "file" && attach?.(file, got as FileSystemFileHandle),
    () => undefined, // not from a disk
  )
  return Promise.resolve(attached).then(() => [file])
}

/** The files of a drop or a paste, those in dropped folders too. Call it during the event. */
export const readTransfer = async ({ items }: DataTransfer, attach?: AttachHandle): Promise<ReadonlyArray<File>> => {
  const files = [...items].filter(({ kind }) => kind === "file")
  return (await Promise.all(files.map((item) => readItem(item, attach)))).flat()
}

/** Whether a drag brings files, rather than text or a link. */
export const hasFiles = (transfer: DataTransfer | null): transfer is DataTransfer =>
  transfer?.types.includes("Files") === true

interface PickerOptions {
  readonly accept: string
  readonly isMultiple: boolean
}

type Picker = (options: {
  multiple: boolean
  types?: Array<{ accept: Record<string, Array<string>> }>
}) => Promise<Array<FileSystemFileHandle>>

/**
 * Lets the user pick files in a way that leaves handles, so that they can be opened again after a reload.
 *
 * @returns undefined where the browser has no such picker: use a file input
 */
export const pickWithHandles = (
  { accept, isMultiple }: PickerOptions,
  attach: AttachHandle,
): Promise<ReadonlyArray<File> | undefined> => {
  const picker = (globalThis as { showOpenFilePicker?: Picker }).showOpenFilePicker
  if (picker === undefined) return Promise.resolve(undefined)
  const types =
    accept === "" ? undefined : [{ accept: Object.fromEntries(accept.split(",").map((type) => [type, []])) }]
  return picker({ multiple: isMultiple, ...(types && { types }) }).then(
    (handles) =>
      Promise.all(
        handles.map(async (handle) => {
          const file = await handle.getFile()
          attach(file, handle)
          return file
        }),
      ),
    // Closed without a choice; all else is a browser or a frame that does not allow it.
    (error: unknown) => ((error as Error).name === "AbortError" ? [] : undefined),
  )
}
