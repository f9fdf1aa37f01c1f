import type { UploadItem } from "../controller/upload-state.ts"
import { isActive } from "../controller/upload-state.ts"

/** Lets uploads begin one after another, so that many of them at once do not multiply the number of connections. */
export interface UploadTurns {
  /** Resolves when it is the turn of these files. */
  readonly wait: (files: ReadonlyArray<File>) => Promise<void>
  /** Call it after every change of a file. */
  readonly look: () => void
}

/**
 * An upload begins once fewer than `most` files of those before it still have to be sent.
 *
 * @param most how many files of one upload are sent at the same time
 */
export const createUploadTurns = (most: number, list: () => ReadonlyArray<UploadItem>): UploadTurns => {
  const waiting: Array<{ readonly files: ReadonlyArray<File>; readonly begin: () => void }> = []
  const look = () => {
    while (waiting.length > 0) {
      const held = new Set(waiting.flatMap(({ files }) => files))
      const isMoving = (item: UploadItem) =>
        isActive(item) && !(item.status === "queued" && item.file !== undefined && held.has(item.file))
      if (list().filter(isMoving).length >= most) return
      waiting.shift()!.begin()
    }
  }
  return {
    wait: (files) =>
      new Promise((begin) => {
        waiting.push({ files, begin })
        look()
      }),
    look,
  }
}
