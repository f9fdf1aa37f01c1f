import { describeInterrupted } from "./interrupted-list.ts"
import { createMoreParts } from "./more-parts.ts"
import { describeCamera } from "./camera-button.ts"
import { followDrag } from "../drop/drag-over.ts"
import { sayDrop } from "./limit-hints.ts"
import { keepRows } from "./kept-rows.ts"
import { nameWithFigures } from "./name-with-figures.ts"
import { describeMissing } from "./missing-files.ts"
import { describeCountdown, describeNotice, isToldAbove } from "./notice.ts"
import { describeButtonInUse } from "./button-in-use.ts"
import { findPlace } from "../controller/removals.ts"
import { canRename } from "../files/rename-file.ts"
import { describeRemoveFailed } from "./remove-failed.ts"
import { describeRemoved } from "./removed-line.ts"
import { describeSummary } from "./summary-bar.ts"

/** The parts of a component that are only shown after its first use; loaded with the engine. */
export const used = {
  canRename,
  createMoreParts,
  describeCamera,
  describeButtonInUse,
  describeCountdown,
  describeInterrupted,
  describeMissing,
  describeNotice,
  describeRemoveFailed,
  describeRemoved,
  describeSummary,
  findPlace,
  followDrag,
  isToldAbove,
  keepRows,
  nameWithFigures,
  sayDrop,
}
