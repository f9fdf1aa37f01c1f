import type { UploadSummary } from "./upload-state.ts"

/** The figures before the first upload. */
export const noFigures: UploadSummary = {
  total: 0,
  done: 0,
  failed: 0,
  canRetry: 0,
  active: 0,
  processing: 0,
  checking: 0,
  offline: 0,
  retrying: 0,
  picked: 0,
  paused: 0,
  bytes: 0,
  loaded: 0,
}
