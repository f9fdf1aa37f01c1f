import { buryFile, type TombstoneSteps } from "../tombstone.ts"
import type { Row, Tables } from "./rows.ts"
import type { Steps } from "./steps.ts"

/** `→ Deleting`; the upload of the file must not begin again. */
export type DeleteFile = (row: Row, now: number) => void

/** Makes the step that several transitions share. */
export const createDeleteFile =
  (
    { expected }: Pick<Tables, "expected">,
    { dropEvent, bury }: Pick<Steps, "dropEvent"> & Pick<TombstoneSteps, "bury">,
  ): DeleteFile =>
  (row, now) => {
    const { file, urlsEnd } = row
    const isExpected = expected.forget(file.appId, file.key)
    const tombstone = buryFile(file, { urlsEnd, isExpected, now })
    if (tombstone !== null) bury(file.appId, file.key, tombstone, true)
    row.file = { ...file, status: "Deleting", epoch: file.epoch + 1, endedAt: now }
    dropEvent(row)
  }
