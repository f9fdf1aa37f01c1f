/** What an endpoint knows of a file, from nothing to its end; '' before an app knows of it. */
const stageOf = (row: "OLD" | "NEW"): string => `CASE
  WHEN ${row}.slug IS NOT NULL AND ${row}.registration_id IS NULL THEN ''
  WHEN ${row}.status <> 'Uploaded' THEN ${row}.status
  WHEN ${row}.hold IS NOT NULL THEN 'Held' ELSE 'Stored' END`

/** A moment of the file, or when its app has registered it, where that was later. */
const since = (...moments: ReadonlyArray<string>): string => {
  const given = moments.map((moment) => `coalesce(NEW.${moment}, 0)`).join(", ")
  return `max(${given}, coalesce((SELECT registered_at FROM registrations WHERE id = NEW.registration_id), 0))`
}

/** Each event by what a file was before and is now, with its time; in the order in which they are sent. */
const becomes: ReadonlyArray<readonly [type: string, when: string, at: string]> = [
  ["held", "now = 'Held' AND before NOT IN ('Held', 'Stored')", since("uploaded_at")],
  ["released", "now = 'Stored' AND before = 'Held'", "NEW.released_at"],
  ["uploaded", "now = 'Stored' AND before <> 'Stored'", since("uploaded_at", "released_at")],
  ["claimed", "isClaimed AND now NOT IN ('Failed', 'Deleting')", "NEW.claimed_at"],
  ["rejected", "now = 'Failed' AND before <> 'Failed' AND NEW.failure_code = 'REJECTED'", since("ended_at")],
  ["failed", "now = 'Failed' AND before <> 'Failed' AND NEW.failure_code <> 'REJECTED'", since("ended_at")],
  ["expired", "now = 'Deleting' AND before IN ('Held', 'Stored') AND isOverdue", "NEW.ended_at"],
  ["deleted", "now = 'Deleting' AND before IN ('Held', 'Stored') AND NOT isOverdue", "NEW.ended_at"],
]

const eachType = (pick: (of: (typeof becomes)[number]) => string): string =>
  `CASE type ${becomes.map((of) => `WHEN '${of[0]}' THEN ${pick(of)}`).join(" ")} END`

/** Writes an event for each endpoint of the app that hears of what a file has become. */
const note = (before: string, isClaimed: string): string => `
  INSERT INTO endpoint_events (id, endpoint_id, type, at, next_at, file)
  SELECT 'evt_' || lower(hex(randomblob(16))), endpoint_id, type, at, at, json_object(
    'key', NEW.key, 'name', NEW.name, 'size', NEW.size, 'type', NEW.type, 'customId', NEW.custom_id, 'slug', NEW.slug,
    'owner', NEW.owner, 'path', NEW.path, 'origin', NEW.origin, 'status', NEW.state, 'fileHash', NEW.file_hash,
    'uploadedAt', NEW.uploaded_at, 'removeAt', NEW.remove_at, 'claimBy', NEW.claim_by,
    'failure', iif(NEW.failure_code IS NULL, NULL,
      json_object('code', NEW.failure_code, 'message', coalesce(NEW.failure_message, ''))))
  FROM (
    SELECT e.id AS endpoint_id, t.value AS type, ${eachType(([, , at]) => at).replace("CASE type", "CASE t.value")} AS at,
      ${before} AS before, ${stageOf("NEW")} AS now, ${isClaimed} AS isClaimed,
      coalesce(NEW.remove_at <= NEW.ended_at, 0) OR coalesce(NEW.claim_by <= NEW.ended_at, 0) AS isOverdue,
      instr('${becomes.map(([type]) => type).join(" ")}', t.value) AS turn, e.rowid AS place
    FROM endpoints e, json_each(e.events) t WHERE e.app_id = NEW.app_id)
  WHERE ${eachType(([, when]) => when)}
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

  CREATE TRIGGER events_of_stored AFTER INSERT ON files
  WHEN NEW.status = 'Uploaded' AND EXISTS (SELECT 1 FROM endpoints WHERE app_id = NEW.app_id) BEGIN
    ${note("''", "0")}
  END;
  CREATE TRIGGER events_of_changed AFTER UPDATE OF status, hold, registration_id, claim_within, claim_by ON files
  WHEN EXISTS (SELECT 1 FROM endpoints WHERE app_id = NEW.app_id) BEGIN
    ${note(
      stageOf("OLD"),
      "(OLD.claim_within IS NOT NULL OR OLD.claim_by IS NOT NULL) AND NEW.claim_within IS NULL AND NEW.claim_by IS NULL",
    )}
  END;
  `
