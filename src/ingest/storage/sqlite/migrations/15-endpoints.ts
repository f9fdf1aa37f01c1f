/** What an endpoint knows of a file, from nothing to its end; '' before an app knows of it. */
export const stageOf = (row: "OLD" | "f" | "o"): string => `CASE
  WHEN ${row}.slug IS NOT NULL AND ${row}.registration_id IS NULL THEN ''
  WHEN ${row}.status <> 'Uploaded' THEN ${row}.status
  WHEN ${row}.hold IS NOT NULL THEN 'Held' ELSE 'Stored' END`

/**
 * Each event by what a file was before and is now, with its time; in the order in which they are sent.
 *
 * @param greatest how the database calls the greatest one of several values
 */
export const becomes = (greatest: string): ReadonlyArray<readonly [type: string, when: string, at: string]> => {
  /** A moment of the file, or when its app has registered it, where that was later. */
  const since = (...moments: ReadonlyArray<string>): string => {
    const given = moments.map((moment) => `coalesce(f.${moment}, 0)`).join(", ")
    return `${greatest}(${given}, coalesce((SELECT registered_at FROM registrations WHERE id = f.registration_id), 0))`
  }
  return [
    ["held", "now = 'Held' AND before NOT IN ('Held', 'Stored')", since("uploaded_at")],
    ["released", "now = 'Stored' AND before = 'Held'", "f.released_at"],
    ["uploaded", "now = 'Stored' AND before <> 'Stored'", since("uploaded_at", "released_at")],
    ["claimed", "isClaimed AND now NOT IN ('Failed', 'Deleting')", "f.claimed_at"],
    ["rejected", "now = 'Failed' AND before <> 'Failed' AND failure_code = 'REJECTED'", since("ended_at")],
    ["failed", "now = 'Failed' AND before <> 'Failed' AND failure_code <> 'REJECTED'", since("ended_at")],
    ["expired", "now = 'Deleting' AND before IN ('Held', 'Stored') AND isOverdue", "f.ended_at"],
    ["deleted", "now = 'Deleting' AND before IN ('Held', 'Stored') AND NOT isOverdue", "f.ended_at"],
  ]
}

/** One value for each type of event. */
export const eachType = (
  events: ReturnType<typeof becomes>,
  pick: (of: ReturnType<typeof becomes>[number]) => string,
  type: string,
): string => `CASE ${type} ${events.map((of) => `WHEN '${of[0]}' THEN ${pick(of)}`).join(" ")} END`

const all = becomes("max")

/** Writes an event for each endpoint of the app that hears of what a file has become. */
const note = `
  INSERT INTO endpoint_events (id, endpoint_id, type, at, next_at, file)
  SELECT 'evt_' || lower(hex(randomblob(16))), endpoint_id, event, at, at, json_object(
    'key', key, 'name', name, 'size', size, 'type', type, 'customId', custom_id, 'slug', slug, 'owner', owner,
    'path', path, 'origin', origin, 'status', state, 'fileHash', file_hash, 'uploadedAt', uploaded_at,
    'removeAt', remove_at, 'claimBy', claim_by,
    'failure', iif(failure_code IS NULL, NULL,
      json_object('code', failure_code, 'message', coalesce(failure_message, ''))))
  FROM (
    SELECT f.*, f.state AS state, e.id AS endpoint_id, t.value AS event, ${eachType(all, ([, , at]) => at, "t.value")} AS at,
      NEW.before AS before, ${stageOf("f")} AS now,
      NEW.waited AND f.claim_within IS NULL AND f.claim_by IS NULL AS isClaimed,
      coalesce(f.remove_at <= f.ended_at, 0) OR coalesce(f.claim_by <= f.ended_at, 0) AS isOverdue,
      instr('${all.map(([type]) => type).join(" ")}', t.value) AS turn, e.rowid AS place
    FROM files f, endpoints e, json_each(e.events) t WHERE f.id = NEW.id AND e.app_id = f.app_id)
  WHERE ${eachType(all, ([, when]) => when, "event")}
  ORDER BY turn, place;`

/** Triggers tell endpoints what becomes of files (docs/decisions/078). */
export const endpoints = `
  -- When it was released, and when it was claimed.
  ALTER TABLE files ADD COLUMN released_at INTEGER;
  ALTER TABLE files ADD COLUMN claimed_at INTEGER;

  CREATE TABLE endpoints (
    id TEXT PRIMARY KEY,
    app_id TEXT NOT NULL,
    url TEXT NOT NULL,
    -- JSON list of what it hears of.
    events TEXT NOT NULL,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX endpoints_of_app ON endpoints (app_id);
  CREATE TABLE endpoint_secrets (
    id TEXT NOT NULL,
    endpoint_id TEXT NOT NULL REFERENCES endpoints (id),
    -- Secret; NULL once it is revoked.
    secret TEXT,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER,
    PRIMARY KEY (endpoint_id, id)
  ) STRICT;

  -- What endpoints are owed, or have been told. The triggers below write it, whoever changes a file.
  CREATE TABLE endpoint_events (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    endpoint_id TEXT NOT NULL,
    type TEXT NOT NULL,
    at INTEGER NOT NULL,
    -- JSON of the file as it was; NULL for a test.
    file TEXT,
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'dead')),
    attempts INTEGER NOT NULL DEFAULT 0,
    failures INTEGER NOT NULL DEFAULT 0,
    redelivered_after INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX endpoint_events_due ON endpoint_events (endpoint_id, next_at, number) WHERE status = 'pending';
  CREATE INDEX endpoint_events_of_endpoint ON endpoint_events (endpoint_id, status, number);
  CREATE INDEX endpoint_events_by_status ON endpoint_events (status, number);
  CREATE INDEX endpoint_events_ended ON endpoint_events (at) WHERE status <> 'pending';

  -- What is inserted here is told to endpoints: a file, what they knew of it before (NULL: what they know now), and
  -- whether it waited for a claim.
  -- Claims insert into it themselves: a trigger for them costs a claim of a thousand files 3 ms where there are no endpoints.
  CREATE VIEW file_changes AS SELECT NULL AS id, NULL AS before, NULL AS waited;
  CREATE TRIGGER events_of_change INSTEAD OF INSERT ON file_changes BEGIN
    ${note}
  END;
  CREATE TRIGGER events_of_stored AFTER INSERT ON files
  WHEN NEW.status = 'Uploaded' AND EXISTS (SELECT 1 FROM endpoints WHERE app_id = NEW.app_id) BEGIN
    INSERT INTO file_changes VALUES (NEW.id, '', 0);
  END;
  CREATE TRIGGER events_of_changed AFTER UPDATE OF status, hold, registration_id ON files
  WHEN EXISTS (SELECT 1 FROM endpoints WHERE app_id = NEW.app_id) BEGIN
    INSERT INTO file_changes VALUES (
      NEW.id, ${stageOf("OLD")}, 0);
  END;
  `
