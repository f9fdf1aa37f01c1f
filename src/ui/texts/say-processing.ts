import type { UploadItem, UploadSummary } from "../controller/upload-state.ts"
import type { UploadTexts } from "./upload-texts.ts"

/** Says what files wait for whose bytes are all sent: for the app, or, where it is that for all of them, to be checked. */
export const sayProcessing = (
  texts: Pick<UploadTexts, "checking" | "processing">,
  of: UploadSummary | Pick<UploadItem, "isHeld" | "status">,
): string =>
  ("checking" in of ? of.checking === of.processing : of.isHeld === true) ? texts.checking() : texts.processing()
