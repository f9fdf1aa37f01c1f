import { becomes, eachType, stageOf } from "../../sqlite/migrations/15-endpoints.ts"
import { afterStatement } from "./01-usage.ts"

const all = becomes("greatest")

/** Writes an event for each endpoint of the app that hears of what files have become; `changed` are those files. */
const note = (changed: string): string => `
  INSERT INTO endpoint_events (id, endpoint_id, type, at, next_at, file)
  SELECT 'evt_' || replace(gen_random_uuid()::text, '-', ''), endpoint_id, event, at, at, json_build_object(
    'key', key, 'name', name, 'size', size, 'type', type, 'customId', custom_id, 'slug', slug, 'owner', owner,
    'path', path, 'origin', origin, 'status', state, 'fileHash', file_hash, 'uploadedAt', uploaded_at,
    'removeAt', remove_at, 'claimBy', claim_by,
    'failure', CASE WHEN failure_code IS NOT NULL
      THEN json_build_object('code', failure_code, 'message', coalesce(failure_message, '')) END)
  FROM (
    SELECT f.*, e.id AS endpoint_id, t.value AS event, ${eachType(all, ([, , at]) => at, "t.value")} AS at,
      c.before AS before, ${stageOf("f")} AS now,
      c.waited AND f.claim_within IS NULL AND f.claim_by IS NULL AS isClaimed,
      coalesce(f.remove_at <= f.ended_at, false) OR coalesce(f.claim_by <= f.ended_at, false) AS isOverdue,
      position(t.value IN '${all.map(([type]) => type).join(" ")}') AS turn, e.place AS place
    FROM ${changed} AS c JOIN files f ON f.id = c.id JOIN endpoints e ON e.app_id = f.app_id
      CROSS JOIN LATERAL json_array_elements_text(e.events::json) AS t (value)) AS told
  WHERE ${eachType(all, ([, when]) => when, "event")}
  ORDER BY id, turn, place;`

/** Triggers tell endpoints what becomes of files (docs/decisions/078). Hardly any app has endpoints. */
export const events = (schema: string): string => `
  ${afterStatement(
    schema,
    "files",
    "insert",
    "events_of_stored",
    `IF EXISTS (SELECT 1 FROM new_rows n JOIN endpoints e ON e.app_id = n.app_id WHERE n.status = 'Uploaded') THEN
      ${note("(SELECT id, '' AS before, false AS waited FROM new_rows WHERE status = 'Uploaded')")}
    END IF;`,
  )}
  ${afterStatement(
    schema,
    "files",
    "update",
    "events_of_changed",
    `IF EXISTS (SELECT 1 FROM new_rows n JOIN endpoints e ON e.app_id = n.app_id) THEN
      ${note(`(SELECT n.id, ${stageOf("o")} AS before, false AS waited FROM new_rows n JOIN old_rows o ON o.id = n.id
        WHERE n.status <> o.status OR n.hold IS DISTINCT FROM o.hold
          OR n.registration_id IS DISTINCT FROM o.registration_id)`)}
    END IF;`,
  )}

  -- Tells endpoints that files were claimed. They were before what they are: NULL.
  CREATE FUNCTION ${schema}.note_claims(ids bigint[]) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    ${note("(SELECT unnest(ids) AS id, NULL::text AS before, true AS waited)")}
  END $$;
  `
