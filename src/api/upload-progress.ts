/** The progress of one file and of all files of an upload. No number in it ever decreases. */
export interface ServerUploadProgress {
  /** Which of the files, from 0 in the order given. */
  readonly index: number
  readonly name: string
  /** Bytes of this file. */
  readonly size: number
  /** Bytes of this file sent. */
  readonly loaded: number
  /** Bytes of this file sent since its last event. */
  readonly delta: number
  /** Whole percent of this file, 0…100; 100 only once the ingest has confirmed it. */
  readonly progress: number
  /** Bytes of all files sent. */
  readonly totalLoaded: number
  /** Bytes of all files; undefined until the size of each is known, or that it cannot be opened. */
  readonly totalSize: number | undefined
  /** Whole percent of all files together; 100 only once the ingest has confirmed every one. */
  readonly totalProgress: number | undefined
}

const toPercent = (loaded: number, size: number, isDone: boolean): number =>
  isDone ? 100 : size === 0 ? 0 : Math.min(99, Math.floor((loaded / size) * 100))

/**
 * Adds up the progress of several files, whose sizes may become known one by one.
 *
 * @param sizes sizes that are known before the files are opened
 */
export const createServerProgress = (
  sizes: ReadonlyArray<number | undefined>,
  emit: (progress: ServerUploadProgress) => void,
) => {
  const known = [...sizes]
  const sent = sizes.map(() => 0)
  const done = new Set<number>()
  let unknown = known.filter((size) => size === undefined).length
  let totalSize = known.reduce<number>((sum, size = 0) => sum + size, 0)
  let totalLoaded = 0
  const learn = (index: number, size: number) => {
    if (known[index] === undefined) unknown--
    totalSize += size - (known[index] ?? 0)
    known[index] = size
  }
  /** Reports the progress of an open file: its bytes sent, in any order, and whether the ingest has confirmed it. */
  const report = (
    index: number,
    { name, size }: { readonly name: string; readonly size: number },
    bytes: number,
    isDone = false,
  ): void => {
    learn(index, size)
    const delta = Math.max(0, Math.min(bytes, size) - sent[index]!)
    if (delta === 0 && (!isDone || done.has(index))) return
    if (isDone) done.add(index)
    const loaded = (sent[index]! += delta)
    totalLoaded += delta
    const isTotalKnown = unknown === 0
    emit({
      index,
      name,
      size,
      loaded,
      delta,
      progress: toPercent(loaded, size, done.has(index)),
      totalLoaded,
      totalSize: isTotalKnown ? totalSize : undefined,
      totalProgress: isTotalKnown ? toPercent(totalLoaded, totalSize, done.size === sizes.length) : undefined,
    })
  }
  /** Reports that a file could not be opened: nothing of it will be sent. */
  const leaveOut = (index: number): void => {
    if (known[index] === undefined) learn(index, 0)
  }
  return { report, leaveOut }
}
