import { noFigures } from "./no-figures.ts"
import { isActive, type UploadItem, type UploadState, type UploadSummary } from "./upload-state.ts"

/** Counts that follow every change of a file, so that the list need not be walked. */
export interface Tally {
  /** Counts a file in, or out again by `-1`. `isCounted`: whether it belongs to the upload that is running or ran last. */
  readonly add: (item: UploadItem, isCounted: boolean, by?: 1 | -1) => void
  /** Bytes that still have to be sent. */
  readonly left: () => number
  readonly read: () => Pick<UploadState, "status" | "isUploading" | "progress" | "summary">
}

/** Starts counting files. */
export const createTally = (): Tally => {
  const counts: { -readonly [name in keyof UploadSummary]: number } = { ...noFigures }
  /** Of all listed files, whichever upload they belong to. */
  let stored = 0
  let left = 0
  return {
    add: (item, isCounted, by = 1) => {
      const { status, size = 0, loaded } = item
      if (isActive(item)) {
        counts.active += by
        left += by * Math.max(0, size - loaded)
        if (status === "processing") counts.processing += by
        if (status === "processing" && item.isHeld) counts.checking += by
        if (item.waitingFor === "offline") counts.offline += by
        if (item.waitingFor === "retry") counts.retrying += by
      } else if (status === "done") stored += by
      else if (status !== "aborted") counts[status as "picked" | "paused" | "failed"] += by
      if (status === "failed" && item.canRetry) counts.canRetry += by
      if (!isCounted || status === "aborted" || status === "picked") return
      counts.total += by
      counts.bytes += by * size
      counts.loaded += by * loaded
      if (status === "done") counts.done += by
    },
    left: () => left,
    read: () => {
      const { total, done, active, paused, picked, failed, bytes, loaded } = counts
      return {
        // In order of importance: files in progress, then those that wait for the user, then the result.
        status: active
          ? "uploading"
          : paused
            ? "paused"
            : picked
              ? "picked"
              : failed
                ? "failed"
                : stored
                  ? "done"
                  : "idle",
        isUploading: active > 0,
        progress:
          total > 0 && done === total ? 100 : bytes === 0 ? 0 : Math.min(99, Math.floor((loaded / bytes) * 100)),
        summary: { ...counts },
      }
    },
  }
}
