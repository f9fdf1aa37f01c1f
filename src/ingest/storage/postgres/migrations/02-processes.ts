/*
 * Which processes work on the catalog at the same time, who of them writes which key and who does which work
 * (docs/decisions/087). Times are ms since the epoch by the clock of the database.
 *
 * `processes` and `writers` are not logged: a beat costs no flush. A crash of the server empties them, and then nobody waits for
 * a writer, and claims end by their time, until each process has looked again. A process is dead where its row is there and its
 * lease is over: one without a row never is.
 */
import { isMeant } from "../../sql/is-meant.ts"
import { guard } from "./01-functions.ts"

const tables = (schema: string): string => `
  CREATE UNLOGGED TABLE ${schema}.processes (
    id text COLLATE "C" PRIMARY KEY,
    lease_until bigint NOT NULL,
    -- What it has under way: a JSON list of names and counts.
    active jsonb NOT NULL
  ) WITH (fillfactor = 50);

  -- Keys that processes of "processes" write, or have written until another one was granted a newer epoch.
  CREATE UNLOGGED TABLE ${schema}.writers (
    key text COLLATE "C" NOT NULL,
    process text COLLATE "C" NOT NULL,
    epoch bigint NOT NULL,
    -- Another process has been asked to go on with it.
    is_wanted boolean NOT NULL DEFAULT false,
    PRIMARY KEY (key, process)
  );
  CREATE INDEX writers_of_process ON ${schema}.writers (process);

  -- Work that one process at a time does.
  CREATE TABLE ${schema}.leads (
    work text COLLATE "C" PRIMARY KEY,
    process text COLLATE "C" NOT NULL,
    until bigint NOT NULL
  );

  -- Who has claimed what is in progress.
  ALTER TABLE ${schema}.deliveries ADD COLUMN claimed_by text COLLATE "C";
  ALTER TABLE ${schema}.endpoint_events ADD COLUMN claimed_by text COLLATE "C";
  `

/** What some processes have claimed and not ended, of a table of events. A row that somebody is changing is left out. */
const claimed = (table: string, id: string, whose: string): string => `
      SELECT ${id} FROM ${table} WHERE status = 'pending' AND attempts > failures AND ${whose} FOR UPDATE SKIP LOCKED`

/** Has what dead processes have claimed be due at once, as an attempt that has failed. */
const release = (table: string, id: string): string => `
    UPDATE ${table} SET failures = attempts, next_at = moment, claimed_by = NULL
    WHERE ${id} = ANY (ARRAY(${claimed(table, id, "claimed_by = ANY (dead)")}));
    IF FOUND THEN released := true; END IF;`

/**
 * Ends processes whose lease is over. It waits for nobody: of two that find the same one dead, one ends it; and where somebody is
 * changing a row of a dead one at this moment, that one stays dead until the next look. The few events that are pending have an
 * index, which is read whatever the planner thinks of the size of the table.
 */
const endDead = (versioned: string): string => `
  CREATE FUNCTION ${versioned}.end_dead(moment bigint, me text) RETURNS boolean LANGUAGE plpgsql SET enable_seqscan = off AS $$
  #variable_conflict use_column
  DECLARE dead text[]; released boolean := false; unfinished text[];
  BEGIN
    dead := ARRAY(SELECT id FROM processes WHERE lease_until <= moment AND id <> me FOR UPDATE SKIP LOCKED);
    IF cardinality(dead) = 0 THEN RETURN false; END IF;
    ${release("deliveries", "file_id")}
    ${release("endpoint_events", "number")}
    DELETE FROM writers WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM writers WHERE process = ANY (dead) FOR UPDATE SKIP LOCKED));
    DELETE FROM leads WHERE process = ANY (dead);
    unfinished := ARRAY(
      SELECT claimed_by FROM deliveries WHERE status = 'pending' AND attempts > failures AND claimed_by = ANY (dead)
      UNION SELECT claimed_by FROM endpoint_events
        WHERE status = 'pending' AND attempts > failures AND claimed_by = ANY (dead)
      UNION SELECT process FROM writers WHERE process = ANY (dead));
    DELETE FROM processes WHERE id = ANY (dead) AND id <> ALL (unfinished);
    -- What is left of processes that went on for a moment after they had been found dead.
    DELETE FROM writers WHERE ctid = ANY (ARRAY(
      SELECT ctid FROM writers w WHERE (SELECT p.id FROM processes p WHERE p.id = w.process) IS NULL
        AND (SELECT f.id FROM files f WHERE f.key = w.key AND f.is_current = 1 AND f.status = 'Uploading'
          AND f.epoch = w.epoch) IS NULL
      FOR UPDATE OF w SKIP LOCKED));
    RETURN released;
  END $$;`

const look = (versioned: string): string => `
  CREATE FUNCTION ${versioned}.look(me text, lease bigint, doing json)
  RETURNS TABLE (now bigint, stops json, others json, "hasReleased" boolean) LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE moment bigint := ${versioned}.clock(); released boolean := false;
  BEGIN ${guard}
    INSERT INTO processes (id, lease_until, active) VALUES (me, moment + lease, doing::jsonb)
    ON CONFLICT (id) DO UPDATE SET lease_until = excluded.lease_until, active = excluded.active;
    IF EXISTS (SELECT 1 FROM processes WHERE lease_until <= moment AND id <> me) THEN
      released := ${versioned}.end_dead(moment, me);
    END IF;
    RETURN QUERY SELECT ${versioned}.clock(), (
      SELECT coalesce(json_agg(w.key), '[]') FROM writers w LEFT JOIN files f ON f.key = w.key AND f.is_current = 1
      WHERE w.process = me AND (w.is_wanted OR f.id IS NULL OR f.status <> 'Uploading' OR f.epoch <> w.epoch
        OR ${isMeant("f")})
    ), (
      SELECT coalesce(json_agg(json_build_object('name', name, 'count', count)), '[]') FROM (
        SELECT a.name, sum(a.count) AS count FROM processes p
        CROSS JOIN LATERAL jsonb_to_recordset(p.active) AS a (name text, count bigint)
        WHERE p.id <> me AND p.lease_until > moment GROUP BY a.name) AS summed
    ), released;
  END $$;`

/**
 * Whether a key is held by a writer of another live process, which is then asked to let it go. Otherwise the caller is the
 * writer from now on, where it can be asked itself. The caller holds the key.
 */
const takeWriter = (versioned: string): string => `
  CREATE FUNCTION ${versioned}.take_writer(me text, wanted text, held_epoch bigint, own_epoch bigint)
  RETURNS boolean LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  BEGIN
    UPDATE writers w SET is_wanted = true WHERE w.key = wanted AND w.epoch = held_epoch AND w.process <> me
      AND (SELECT p.lease_until FROM processes p WHERE p.id = w.process) > ${versioned}.clock();
    IF FOUND THEN RETURN true; END IF;
    IF own_epoch IS NOT NULL THEN
      INSERT INTO writers (key, process, epoch) VALUES (wanted, me, own_epoch)
      ON CONFLICT (key, process) DO UPDATE SET epoch = excluded.epoch, is_wanted = false;
    END IF;
    RETURN false;
  END $$;`

const move = (table: string, id: string): string => `
    UPDATE ${table} SET next_at = moment
    WHERE ${id} = ANY (ARRAY(${claimed(table, id, "id = ANY (events) AND claimed_by = me")}));`

export const processes = (schema: string, versioned: string): string => `
  ${tables(schema)}
  CREATE FUNCTION ${versioned}.clock() RETURNS bigint LANGUAGE sql VOLATILE AS $$
    SELECT floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint $$;
  ${endDead(versioned)}
  ${look(versioned)}
  ${takeWriter(versioned)}
  CREATE FUNCTION ${versioned}.lead(me text, wanted text, lasts bigint) RETURNS boolean LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  DECLARE moment bigint := ${versioned}.clock();
  BEGIN
    INSERT INTO leads AS l (work, process, until) VALUES (wanted, me, moment + lasts)
    ON CONFLICT (work) DO UPDATE SET process = excluded.process, until = excluded.until
    WHERE l.process = me OR l.until <= moment
      OR (SELECT p.lease_until FROM processes p WHERE p.id = l.process) <= moment;
    RETURN FOUND;
  END $$;
  CREATE FUNCTION ${versioned}.move_claims(me text, events text[], moment bigint) RETURNS void LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  BEGIN ${move("deliveries", "file_id")} ${move("endpoint_events", "number")}
  END $$;
  CREATE FUNCTION ${versioned}.leave(me text) RETURNS void LANGUAGE plpgsql AS $$
  #variable_conflict use_column
  BEGIN
    INSERT INTO processes (id, lease_until, active) VALUES (me, 0, '[]')
    ON CONFLICT (id) DO UPDATE SET lease_until = 0, active = '[]';
    PERFORM ${versioned}.end_dead(${versioned}.clock(), '');
  END $$;
  `
