import { keepPath } from "./file-paths.ts"
import { createFolderMistake } from "./folder-mistakes.ts"
import { isLitter } from "./litter.ts"

/** Reads a dropped file or folder. An unreadable part is listed as failed in its place; the rest is read all the same. */
const readEntry = async (entry: FileSystemEntry): Promise<ReadonlyArray<File>> => {
  // `/holiday/2024/a.jpg`, from where it was dropped.
  const path = (entry.fullPath ?? "").slice(1)
  try {
    if (entry.isFile) {
      const file = await new Promise<File>((resolve, reject) => (entry as FileSystemFileEntry).file(resolve, reject))
      return [keepPath(file, path)]
    }
    const reader = (entry as FileSystemDirectoryEntry).createReader()
    const files: Array<File> = []
    for (;;) {
      // A reader gives a hundred entries at a time, and none at the end.
      const entries = await new Promise<Array<FileSystemEntry>>((resolve, reject) =>
        reader.readEntries(resolve, reject),
      )
      if (entries.length === 0) return files
      for (const child of entries) if (!isLitter(child)) files.push(...(await readEntry(child)))
    }
  } catch {
    return [createFolderMistake(path || entry.name, entry.isFile ? "unreadableFile" : "unreadableFolder")]
  }
}

/** Reads a dropped folder. One without any files is listed as failed; empty subfolders are ignored. */
export const readFolder = async (entry: FileSystemEntry): Promise<ReadonlyArray<File>> => {
  const files = await readEntry(entry)
  return files.length > 0 ? files : [createFolderMistake(entry.name, "emptyFolder")]
}
