/*
 * Functions that the driver calls. They are in a schema of their version, so that processes of the version before go on
 * calling theirs while others have begun with the next one.
 *
 * `hold_keys` is why two transactions that change the same key come one after the other (docs/decisions/082): the second
 * one waits to insert what the first one has inserted, and its next statement sees everything that the first one wrote.
 *
 * The others do the common case of a transition for many files at once: those about which nothing else is known yet. Which
 * these were is what they return; about all others they have changed nothing, and the driver asks again for each of them, in a
 * transaction that knows every case. Look-ups are scalar subqueries, which read through an index whatever the planner thinks
 * of the size of a table.
 */
import { selectUpload } from "../../sql/rows.ts"

/** A moment that stays as it is is not the one that a function would see: it must not run in a transaction of that kind. */
export const guard = `
    IF current_setting('transaction_isolation') <> 'read committed' THEN RETURN; END IF;`

/** The app is the one that its caller means, and stays it until the transaction ends. */
export const lockApps = `
    IF cardinality(app_ids) > 0 THEN PERFORM 1 FROM apps WHERE id = ANY (app_ids) ORDER BY id FOR KEY SHARE; END IF;`

export const isSameApp =
  "(j.app_since IS NULL OR j.app_since = (SELECT a.created_at FROM apps a WHERE a.id = j.app_id))"

export const registration =
  "metadata text, callback_url text, callback_slug text, await_server_data int, is_dev int, traceparent text, tracestate text"

export const fileOf = (row: string): string =>
  `(SELECT f.id FROM files f WHERE f.key = ${row}.key AND f.is_current = 1)`

/** What functions of later versions do beside; all parts are empty in the first one. */
export interface Additions {
  /** One more parameter: the process that calls. */
  readonly caller: string
  /** One more column of a delivery that is inserted, and its value: who claims it. */
  readonly claimedBy: readonly [column: string, value: string]
  /** How many attempts have failed once one more has. */
  readonly failed: string
  /** What is set beside where a claim ends. */
  readonly unclaimed: string
  /** One more step of a commit. */
  readonly committed: string
  /** Which files of a `job` are committed, by what was deleted of their owner. */
  readonly undeleted: string
}

const nothing: Additions = {
  caller: "",
  claimedBy: ["", ""],
  failed: "d.failures + 1",
  unclaimed: "",
  committed: "",
  undeleted: `(j.owner IS NULL OR
          (SELECT d.id FROM deletions d WHERE d.app_id = j.app_id AND d.owner = j.owner LIMIT 1) IS NULL)`,
}

/** Files that have arrived whole, under keys of which nothing is known but what is expected. */
const commitWhole = (
  schema: string,
  versioned: string,
  { caller, claimedBy: [column, value], undeleted }: Additions,
): string => `
  CREATE FUNCTION ${versioned}.commit_whole(keys text[], app_ids text[], jobs json${caller})
  RETURNS TABLE (n int, id bigint, "registrationId" bigint, metadata text, "callbackUrl" text, "callbackSlug" text,
    "awaitServerData" int, "isDev" int, "registeredAt" bigint, traceparent text, tracestate text)
  LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  BEGIN ${guard}
    PERFORM ${versioned}.hold_keys(keys); ${lockApps}
    RETURN QUERY
    WITH job AS MATERIALIZED (
      SELECT j.*, nextval('${schema}.files_id_seq') AS id, e.registration_id AS known, e.ctid AS expected,
        coalesce(e.registration_id, CASE WHEN j.metadata IS NOT NULL THEN nextval('${schema}.registrations_id_seq') END)
          AS registration_id
      FROM json_to_recordset(jobs) AS j (n int, key text, app_id text, name text, size bigint, type text, custom_id text,
        slug text, content_disposition text, acl text, origin text, expires bigint, wire_id text, issued_at bigint,
        owner text, path text, keep_for bigint, claim_within bigint, cache text, hold int, file_hash text, at bigint,
        bytes text, event_id text, claimed_until bigint, app_since bigint, ${registration})
      LEFT JOIN LATERAL (
        SELECT registration_id, ctid FROM expected_files WHERE key = j.key AND wire_id = j.wire_id LIMIT 1) e ON true
      WHERE ${fileOf("j")} IS NULL AND ${isSameApp}
        AND (SELECT t.until FROM tombstones t WHERE t.app_id = j.app_id AND t.key = j.key) IS NULL
        AND ${undeleted}
    ), registered AS (
      INSERT INTO registrations (id, app_id, metadata, callback_url, callback_slug, await_server_data, is_dev,
        traceparent, tracestate, registered_at)
      SELECT registration_id, app_id, metadata, callback_url, callback_slug, await_server_data, is_dev,
        traceparent, tracestate, at FROM job WHERE known IS NULL AND registration_id IS NOT NULL
    ), stored AS (
      INSERT INTO files (id, key, app_id, name, size, type, custom_id, slug, content_disposition, acl, origin, expires,
        epoch, created_at, wire_id, issued_at, owner, path, keep_for, claim_within, cache, hold, remove_at, claim_by,
        status, file_hash, uploaded_at, is_inline, registration_id)
      SELECT id, key, app_id, name, size, type, custom_id, slug, content_disposition, acl, origin, expires,
        1, at, wire_id, issued_at, owner, path, keep_for, claim_within, cache, hold,
        CASE WHEN hold IS NULL THEN at + keep_for END, CASE WHEN hold IS NULL THEN at + claim_within END,
        'Uploaded', file_hash, at, 1, registration_id FROM job
    ), kept AS (
      INSERT INTO contents (file_id, bytes) SELECT id, decode(bytes, 'base64') FROM job
    ), arrived AS (
      DELETE FROM expected_files WHERE ctid = ANY (ARRAY(SELECT expected FROM job WHERE known IS NOT NULL))
    ), answer AS (
      SELECT j.n, j.id, r.id AS registration_id, r.metadata, r.callback_url, r.callback_slug, r.await_server_data,
        coalesce(r.is_dev, j.is_dev) AS is_dev, r.registered_at, r.traceparent, r.tracestate,
        j.registration_id AS of_file, j.hold, j.event_id, j.app_id, j.claimed_until, j.at
      FROM job j LEFT JOIN LATERAL (SELECT * FROM registrations WHERE id = j.known LIMIT 1) r ON true
    ), owed AS (
      INSERT INTO deliveries (file_id, id, registration_id, app_id, is_dev, hook, attempts, next_at${column})
      SELECT id, event_id, of_file, app_id, is_dev, 'callback',
        CASE WHEN is_dev = 1 OR claimed_until IS NULL THEN 0 ELSE 1 END,
        CASE WHEN is_dev = 1 THEN at ELSE coalesce(claimed_until, at) END${value}
      FROM answer WHERE of_file IS NOT NULL AND hold IS NULL
    )
    SELECT n, id, coalesce(registration_id, of_file), metadata, callback_url, callback_slug, await_server_data, is_dev,
      registered_at, traceparent, tracestate FROM answer;
  END $$;`

/** Registrations of keys of which nothing is known, and that stay within their bounds whatever is registered with them. */
const register = (schema: string, versioned: string): string => `
  CREATE FUNCTION ${versioned}.register(keys text[], app_ids text[], jobs json, wanted json)
  RETURNS TABLE (n int) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  BEGIN ${guard}
    PERFORM ${versioned}.hold_keys(keys); ${lockApps}
    RETURN QUERY
    WITH w AS MATERIALIZED (
      SELECT * FROM json_to_recordset(wanted) AS w (n int, key text, wire_id text, bytes bigint)
    ), used AS MATERIALIZED (
      SELECT app_id, sum(expected_files) AS files, sum(expected_bytes) AS bytes, sum(catalog_bytes) AS catalog FROM usage
      WHERE app_id = ANY (ARRAY(SELECT DISTINCT j.app_id FROM json_to_recordset(jobs) AS j (app_id text)))
      GROUP BY app_id
    ), job AS MATERIALIZED (
      SELECT j.*, nextval('${schema}.registrations_id_seq') AS id FROM (
        SELECT j.*, sum(files) OVER before AS all_files, sum(bytes) OVER before AS all_bytes,
          sum(catalog) OVER before AS all_catalog
        FROM json_to_recordset(jobs) AS j (n int, app_id text, at bigint, expires bigint, app_since bigint,
          files bigint, bytes bigint, catalog bigint, most_files bigint, most_bytes bigint, most_catalog bigint,
          ${registration})
        WINDOW before AS (PARTITION BY j.app_id ORDER BY j.n)
      ) AS j LEFT JOIN used u ON u.app_id = j.app_id
      WHERE ${isSameApp}
        AND (j.most_files IS NULL OR coalesce(u.files, 0) + j.all_files <= j.most_files)
        AND (j.most_bytes IS NULL OR coalesce(u.bytes, 0) + j.all_bytes <= j.most_bytes)
        AND (j.most_catalog IS NULL OR coalesce(u.catalog, 0) + j.all_catalog <= j.most_catalog)
        AND (SELECT k.key FROM w k WHERE k.n = j.n AND (${fileOf("k")} IS NOT NULL
          OR (SELECT f.id FROM files f WHERE f.key = k.key AND f.is_current = 0 AND f.wire_id = k.wire_id LIMIT 1) IS NOT NULL
          OR (SELECT e.bytes FROM expected_files e WHERE e.key = k.key AND e.wire_id = k.wire_id) IS NOT NULL)
          LIMIT 1) IS NULL
    ), registered AS (
      INSERT INTO registrations (id, app_id, metadata, callback_url, callback_slug, await_server_data, is_dev,
        traceparent, tracestate, registered_at)
      SELECT id, app_id, metadata, callback_url, callback_slug, await_server_data, is_dev, traceparent, tracestate, at
      FROM job
    ), expected AS (
      INSERT INTO expected_files (key, wire_id, registration_id, expires, app_id, bytes)
      SELECT w.key, w.wire_id, j.id, j.expires, j.app_id, w.bytes FROM job j JOIN w ON w.n = j.n
    )
    SELECT n FROM job;
  END $$;`

/** Uploads whose bytes are all there, of apps that delete nothing by owner or prefix at this moment. */
const commit = (versioned: string, { caller, claimedBy: [column, value], committed }: Additions): string => `
  CREATE FUNCTION ${versioned}.commit(keys text[], jobs json${caller}) RETURNS TABLE (upload json) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE ids bigint[];
  BEGIN ${guard}
    PERFORM ${versioned}.hold_keys(keys);
    WITH job AS MATERIALIZED (
      SELECT j.*, f.id, f.app_id, f.hold, e.registration_id, e.ctid AS expected, r.is_dev
      FROM json_to_recordset(jobs) AS j (key text, epoch bigint, file_hash text, blob_ref text, at bigint, event_id text,
        claimed_until bigint)
      CROSS JOIN LATERAL (
        SELECT id, app_id, hold, wire_id FROM files
        WHERE key = j.key AND is_current = 1 AND status = 'Uploading' AND epoch = j.epoch LIMIT 1) f
      LEFT JOIN LATERAL (
        SELECT registration_id, ctid FROM expected_files WHERE key = j.key AND wire_id = f.wire_id LIMIT 1) e ON true
      LEFT JOIN LATERAL (SELECT is_dev FROM registrations WHERE id = e.registration_id LIMIT 1) r ON true
      WHERE (SELECT d.id FROM deletions d WHERE d.app_id = f.app_id AND d.done_at IS NULL LIMIT 1) IS NULL
    ), ended AS (
      UPDATE files f SET status = 'Uploaded', (file_hash, blob_ref, uploaded_at, registration_id, remove_at, claim_by) =
        (SELECT j.file_hash, j.blob_ref, j.at, j.registration_id, CASE WHEN f.hold IS NULL THEN j.at + f.keep_for END,
          CASE WHEN f.hold IS NULL THEN j.at + f.claim_within END FROM job j WHERE j.id = f.id)
      WHERE f.id = ANY (ARRAY(SELECT id FROM job))
    ), arrived AS (
      DELETE FROM expected_files WHERE ctid = ANY (ARRAY(SELECT expected FROM job WHERE registration_id IS NOT NULL))
    ), owed AS (
      INSERT INTO deliveries (file_id, id, registration_id, app_id, is_dev, hook, attempts, next_at${column})
      SELECT id, event_id, registration_id, app_id, is_dev, 'callback',
        CASE WHEN is_dev = 1 OR claimed_until IS NULL THEN 0 ELSE 1 END,
        CASE WHEN is_dev = 1 THEN at ELSE coalesce(claimed_until, at) END${value}
      FROM job WHERE is_dev IS NOT NULL AND hold IS NULL
    )${committed}
    SELECT array_agg(id) INTO ids FROM job;
    RETURN QUERY SELECT row_to_json(u) FROM (${selectUpload} WHERE f.id = ANY (ids)) AS u;
  END $$;`

/** Ends attempts to deliver, and keeps the results that they brought. */
const recordAttempt = (versioned: string, { failed, unclaimed }: Additions): string => `
  CREATE FUNCTION ${versioned}.record_attempt(jobs json) RETURNS TABLE (n int, kept boolean) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE newest text[]; found json; stored bigint[];
  BEGIN ${guard}
    WITH job AS MATERIALIZED (
      SELECT j.*, (SELECT d.file_id FROM deliveries d WHERE d.id = j.delivery_id) AS file_id
      FROM json_to_recordset(jobs) AS j (n int, delivery_id text, attempt bigint, started_at bigint, latency bigint,
        status int, error text, answer text, next text, delivered int, retry_at bigint, data text, failed text)
    ), tried AS (
      INSERT INTO attempts (delivery_id, attempt, started_at, latency, status, error, answer)
      SELECT delivery_id, attempt, started_at, latency, status, error, answer FROM job ON CONFLICT DO NOTHING
    ), ended AS (
      UPDATE deliveries d SET (status, failures, next_at) = (
        SELECT j.next, CASE WHEN j.delivered = 1 THEN d.failures WHEN d.is_dev = 1 THEN d.attempts ELSE ${failed} END,
          coalesce(j.retry_at, d.next_at) FROM job j WHERE j.delivery_id = d.id)${unclaimed}
      WHERE d.file_id = ANY (ARRAY(SELECT file_id FROM job)) AND d.status = 'pending'
        AND d.attempts = (SELECT j.attempt FROM job j WHERE j.delivery_id = d.id)
      RETURNING d.id
    )
    SELECT (SELECT coalesce(array_agg(id), '{}') FROM ended), (SELECT json_agg(j) FROM job j) INTO newest, found;
    WITH job AS MATERIALIZED (
      SELECT * FROM json_to_recordset(found) AS j (delivery_id text, file_id bigint, at bigint, started_at bigint,
        latency bigint, data text, failed text)
      WHERE data IS NOT NULL OR (failed IS NOT NULL AND delivery_id = ANY (newest))
    ), kept AS (
      UPDATE files f SET (result_at, result_data, result_error) =
        (SELECT j.started_at + j.latency, j.data, j.failed FROM job j WHERE j.file_id = f.id)
      WHERE f.id = ANY (ARRAY(SELECT file_id FROM job)) AND f.status = 'Uploaded' AND f.hold IS NULL
        AND f.result_data IS NULL
      RETURNING f.id
    )
    SELECT coalesce(array_agg(id), '{}') INTO stored FROM kept;
    RETURN QUERY SELECT j.n, coalesce(j.file_id = ANY (stored), false)
      FROM json_to_recordset(found) AS j (n int, file_id bigint);
  END $$;`

export const functions = (schema: string, versioned: string, additions = nothing): string => `
  CREATE FUNCTION ${versioned}.hold_keys(keys text[]) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO held_keys (key) SELECT DISTINCT k COLLATE "C" AS k FROM unnest(keys) AS k ORDER BY k
    ON CONFLICT (key) DO UPDATE SET key = excluded.key;
    DELETE FROM held_keys WHERE key = ANY (keys);
  END $$;
  ${commitWhole(schema, versioned, additions)}
  ${register(schema, versioned)}
  ${commit(versioned, additions)}
  ${recordAttempt(versioned, additions)}
  `
