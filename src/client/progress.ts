import type { UploadableFile } from "../transfer/uploadable-file.ts"

/** The progress of one file and of all files of an upload. No number in it ever decreases. */
export interface UploadProgress<File extends UploadableFile = UploadableFile> {
  readonly file: File
  /** Whole percent of this file, 0…100; 100 only once the server has confirmed it. */
  readonly progress: number
  /** Bytes of this file sent. */
  readonly loaded: number
  /** Bytes of this file sent since its last event. */
  readonly delta: number
  /** Bytes of all files sent. */
  readonly totalLoaded: number
  /** Whole percent of all files together, 0…100; 100 only once the server has confirmed every one. */
  readonly totalProgress: number
}

const toPercent = (loaded: number, size: number, isDone: boolean): number =>
  isDone ? 100 : size === 0 ? 0 : Math.min(99, Math.floor((loaded / size) * 100))

/**
 * Adds up the progress of several files.
 *
 * @returns a function for the file at an index that takes the bytes sent, in any order, and whether the server has
 *            confirmed the file
 */
export const createProgress = <File extends UploadableFile>(
  files: ReadonlyArray<File>,
  emit: (progress: UploadProgress<File>) => void,
): ((index: number, loaded: number, isDone?: boolean) => void) => {
  const totalSize = files.reduce((sum, file) => sum + file.size, 0)
  const sent = files.map(() => 0)
  const done = new Set<number>()
  let totalLoaded = 0
  return (index, bytes, isDone = false) => {
    const file = files[index]!
    const delta = Math.max(0, Math.min(bytes, file.size) - sent[index]!)
    if (delta === 0 && (!isDone || done.has(index))) return
    if (isDone) done.add(index)
    const loaded = (sent[index]! += delta)
    totalLoaded += delta
    emit({
      file,
      progress: toPercent(loaded, file.size, done.has(index)),
      loaded,
      delta,
      totalLoaded,
      totalProgress: toPercent(totalLoaded, totalSize, done.size === files.length),
    })
  }
}
