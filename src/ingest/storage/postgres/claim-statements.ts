import { claimEvent, endEvent } from "../sql/endpoints.ts"
import { claimDelivery, endAttempt, insertDelivery } from "../sql/statements.ts"

/** The claim of a process that was found dead counts as failed already: how its attempt ended may be told later. */
const failed = "least(attempts, failures + 1)"

/** What the catalogs over SQL share, with the process that has claimed an event: a claim notes it, and its end forgets it. */
export const claimStatements = {
  insertDelivery: insertDelivery(", claimed_by", ", CASE WHEN r.is_dev = 1 THEN NULL ELSE CAST(? AS text) END"),
  claimDelivery: claimDelivery(", claimed_by = ?"),
  endAttempt: endAttempt(", claimed_by = NULL", failed),
  claimEvent: claimEvent(", claimed_by = ?"),
  endEvent: endEvent(", claimed_by = NULL", failed),
} as const
