import { fileOf, guard, isSameApp, lockApps, registration } from "./01-functions.ts"

/** None of the owner's files was deleted since the URL of a `job` was issued: a deletion of that time forbids the upload. */
export const isNotDeleted = `(j.owner IS NULL OR (
          SELECT d.id FROM deletions d
          WHERE d.app_id = j.app_id AND d.owner = j.owner AND d.prefix = '' AND d.asked_at >= coalesce(j.issued_at, 0)
          LIMIT 1) IS NULL)`

/**
 * Uploads that begin under keys of which nothing is known but what is expected, of apps and owners that may have any amount. A
 * registration in the URL is kept where none is expected. As in 01-functions.ts it answers which these were, and has changed
 * nothing for the others.
 */
export const beginNew = (schema: string, versioned: string): string => `
  CREATE FUNCTION ${versioned}.begin_new(keys text[], app_ids text[], jobs json, writer text)
  RETURNS TABLE (n int, id bigint) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  BEGIN ${guard}
    PERFORM ${versioned}.hold_keys(keys); ${lockApps}
    RETURN QUERY
    WITH job AS MATERIALIZED (
      SELECT j.*, nextval('${schema}.files_id_seq') AS id,
        CASE WHEN j.metadata IS NOT NULL THEN nextval('${schema}.registrations_id_seq') END AS registration_id
      FROM json_to_recordset(jobs) AS j (n int, key text, app_id text, name text, size bigint, type text, custom_id text,
        slug text, content_disposition text, acl text, origin text, expires bigint, wire_id text, issued_at bigint,
        owner text, path text, keep_for bigint, claim_within bigint, cache text, hold int, at bigint, app_since bigint,
        expected_bytes bigint, ${registration})
      WHERE ${fileOf("j")} IS NULL AND ${isSameApp}
        AND (SELECT t.until FROM tombstones t WHERE t.app_id = j.app_id AND t.key = j.key) IS NULL
        AND ${isNotDeleted}
        AND (j.metadata IS NULL OR
          (SELECT e.bytes FROM expected_files e WHERE e.key = j.key AND e.wire_id = j.wire_id) IS NULL)
    ), registered AS (
      INSERT INTO registrations (id, app_id, metadata, callback_url, callback_slug, await_server_data, is_dev,
        traceparent, tracestate, registered_at)
      SELECT registration_id, app_id, metadata, callback_url, callback_slug, await_server_data, is_dev,
        traceparent, tracestate, at FROM job WHERE registration_id IS NOT NULL
    ), expected AS (
      INSERT INTO expected_files (key, wire_id, registration_id, expires, app_id, bytes)
      SELECT key, wire_id, registration_id, expires, app_id, expected_bytes FROM job WHERE registration_id IS NOT NULL
    ), begun AS (
      INSERT INTO files (id, key, app_id, name, size, type, custom_id, slug, content_disposition, acl, origin, expires,
        epoch, created_at, wire_id, issued_at, owner, path, keep_for, claim_within, cache, hold)
      SELECT id, key, app_id, name, size, type, custom_id, slug, content_disposition, acl, origin, expires,
        1, at, wire_id, issued_at, owner, path, keep_for, claim_within, cache, hold FROM job
    ), written AS (
      INSERT INTO writers (key, process, epoch) SELECT key, writer, 1 FROM job WHERE writer IS NOT NULL
      ON CONFLICT (key, process) DO UPDATE SET epoch = 1, is_wanted = false
    )
    SELECT n, id FROM job;
  END $$;`
