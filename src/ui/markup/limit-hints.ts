import type { UploadState } from "../controller/upload-state.ts"
import type { UploadTexts } from "../texts/upload-texts.ts"

/** What will happen to the files that are dragged over a component. */
export const sayDrop = ({ drag, routeConfig }: UploadState, texts: UploadTexts, isMultiple: boolean): string => {
  if (drag === undefined || routeConfig === undefined || drag.fit === "over") return texts.dropNow(isMultiple)
  return drag.fit === "partly"
    ? texts.dropSome(drag.taken, drag.count)
    : texts.dropNone(routeConfig, drag.reason ?? "count")
}
