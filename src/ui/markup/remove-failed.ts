import type { ComponentView } from "./component-view.ts"
import type { Markup } from "./markup.ts"

/** Removes all that has failed, also what the route has refused: of two hundred photos forty may be too large. */
export const describeRemoveFailed = ({ state, texts, parts, part }: ComponentView): Markup | undefined =>
  // A single one has a button of its own.
  state.files.filter(({ status }) => status === "failed").length > 1
    ? part("button", "removeFailedButton", parts.removeFailed, [texts.removeFailed()])
    : undefined
