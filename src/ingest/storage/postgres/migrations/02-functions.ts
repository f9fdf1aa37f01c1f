import { lockTime } from "../values.ts"
import { functions } from "./01-functions.ts"
import { beginNew, isNotDeleted } from "./02-begin.ts"

/**
 * Functions that wait for whoever holds a key: what is called by itself gives up after a time, too, because that one may be on a
 * machine that is gone.
 */
const waiting = ["hold_keys", "begin_new", "commit_whole", "register", "commit", "record_attempt"]

/** The functions of the version before, which also note who has claimed an event, and that a committed upload has no writer. */
export const functionsOfProcesses = (schema: string, versioned: string): string =>
  `${functions(schema, versioned, {
    caller: ", me text",
    claimedBy: [", claimed_by", ", CASE WHEN is_dev = 1 OR claimed_until IS NULL THEN NULL ELSE me END"],
    // A claim of a process that was found dead counts as failed already.
    failed: "least(d.attempts, d.failures + 1)",
    unclaimed: ", claimed_by = NULL",
    committed: `, written AS (
      DELETE FROM writers WHERE key = ANY (ARRAY(SELECT key FROM job)) AND process = me
    )`,
    undeleted: isNotDeleted,
  })}
  ${beginNew(schema, versioned)}
  ${waiting.map((name) => `ALTER FUNCTION ${versioned}.${name} SET lock_timeout = '${lockTime}';`).join(" ")}`
