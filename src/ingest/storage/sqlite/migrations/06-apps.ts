/** An ingest has several apps, with keys of their own (docs/decisions/050). */
export const apps = `
  CREATE TABLE apps (
    id TEXT PRIMARY KEY,
    -- What its file keys begin with: no other app's may.
    key_prefix TEXT NOT NULL UNIQUE,
    name TEXT,
    default_acl TEXT CHECK (default_acl IN ('public-read', 'private')),
    -- Bytes; -1: no limit; NULL: the ingest's.
    quota INTEGER,
    -- JSON list; NULL: any.
    callback_origins TEXT,
    created_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE app_keys (
    id TEXT PRIMARY KEY,
    app_id TEXT NOT NULL REFERENCES apps (id),
    -- Secret; NULL once it is revoked.
    api_key TEXT,
    created_at INTEGER NOT NULL,
    revoked_at INTEGER
  ) STRICT;
  CREATE INDEX app_keys_by_app ON app_keys (app_id);
  -- One row, for whoever keeps apps in memory.
  CREATE TABLE apps_revision (revision INTEGER NOT NULL) STRICT;
  INSERT INTO apps_revision VALUES (0);
  `
