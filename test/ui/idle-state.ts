import type { UploadState } from "../../src/ui/controller/upload-state.ts"

/** The state of a component whose route is known, and in which nothing was chosen. */
export const idleState = {
  status: "idle",
  files: [],
  isUploading: false,
  progress: 0,
  routeConfig: undefined,
  isReady: true,
  isDisabled: false,
  isDragActive: false,
  interrupted: [],
  removed: undefined,
} satisfies Partial<UploadState>
