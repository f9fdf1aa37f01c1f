import type { UploadState } from "../upload-state.ts"
import type { UploadTexts } from "../upload-texts.ts"

/** What becomes of the files that are held over a component. */
export const sayDrop = ({ drag, routeConfig }: UploadState, texts: UploadTexts, isMultiple: boolean): string => {
  if (drag === undefined || routeConfig === undefined || drag.fit === "over") return texts.dropNow(isMultiple)
  return drag.fit === "partly"
    ? texts.dropSome(drag.taken, drag.count)
    : texts.dropNone(routeConfig, drag.reason ?? "count")
}
