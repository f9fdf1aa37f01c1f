import type { DatabaseSync } from "node:sqlite"

/** Steps from an empty database to the newest schema, in order; one once released is never changed. */
export const migrations: ReadonlyArray<string> = [
  `
  CREATE TABLE registrations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    app_id TEXT NOT NULL,
    metadata TEXT NOT NULL,
    callback_url TEXT NOT NULL,
    callback_slug TEXT NOT NULL,
    await_server_data INTEGER NOT NULL,
    is_dev INTEGER NOT NULL
  ) STRICT;

  -- Files that are registered and have not ended; afterwards files.registration_id says it.
  CREATE TABLE expected_files (
    key TEXT PRIMARY KEY,
    registration_id INTEGER NOT NULL REFERENCES registrations (id),
    registered_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX expected_files_by_time ON expected_files (registered_at);
  CREATE INDEX expected_files_by_registration ON expected_files (registration_id);

  CREATE TABLE files (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    key TEXT NOT NULL,
    -- 0: its key was taken by a new upload.
    is_current INTEGER NOT NULL DEFAULT 1,
    app_id TEXT NOT NULL,
    status TEXT NOT NULL DEFAULT 'Uploading' CHECK (status IN ('Uploading', 'Uploaded', 'Deleting', 'Failed')),
    name TEXT NOT NULL,
    size INTEGER NOT NULL,
    type TEXT NOT NULL,
    custom_id TEXT,
    slug TEXT,
    content_disposition TEXT,
    acl TEXT,
    origin TEXT NOT NULL,
    expires INTEGER NOT NULL,
    epoch INTEGER NOT NULL,
    created_at INTEGER NOT NULL,
    uploaded_at INTEGER,
    file_hash TEXT,
    failure_code TEXT,
    failure_message TEXT,
    has_bytes INTEGER NOT NULL DEFAULT 1,
    registration_id INTEGER REFERENCES registrations (id),
    result_data TEXT,
    result_error TEXT
  ) STRICT;
  CREATE UNIQUE INDEX files_by_key ON files (key) WHERE is_current = 1;
  CREATE INDEX files_by_app ON files (app_id, id);
  CREATE INDEX files_by_custom_id ON files (app_id, custom_id) WHERE custom_id IS NOT NULL;
  CREATE INDEX files_by_registration ON files (registration_id) WHERE registration_id IS NOT NULL;
  CREATE INDEX files_unfinished ON files (expires) WHERE status = 'Uploading';
  CREATE INDEX files_unregistered ON files (uploaded_at)
    WHERE status = 'Uploaded' AND slug IS NOT NULL AND registration_id IS NULL;
  CREATE INDEX files_deleting ON files (id) WHERE status = 'Deleting';
  CREATE INDEX files_failed ON files (id) WHERE status = 'Failed' AND has_bytes = 1;

  CREATE TABLE deliveries (
    file_id INTEGER PRIMARY KEY REFERENCES files (id),
    id TEXT NOT NULL UNIQUE,
    registration_id INTEGER NOT NULL REFERENCES registrations (id),
    is_dev INTEGER NOT NULL,
    hook TEXT NOT NULL CHECK (hook IN ('callback', 'error')),
    status TEXT NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'dead')),
    attempts INTEGER NOT NULL,
    failures INTEGER NOT NULL DEFAULT 0,
    next_at INTEGER NOT NULL
  ) STRICT;
  CREATE INDEX deliveries_due ON deliveries (is_dev, next_at) WHERE status = 'pending';

  CREATE TABLE attempts (
    delivery_id TEXT NOT NULL,
    attempt INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    latency INTEGER NOT NULL,
    status INTEGER,
    error TEXT,
    PRIMARY KEY (delivery_id, attempt)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE files ADD COLUMN is_inline INTEGER NOT NULL DEFAULT 0;

  -- The bytes of small files.
  CREATE TABLE contents (
    file_id INTEGER PRIMARY KEY REFERENCES files (id),
    bytes BLOB NOT NULL
  ) STRICT;
  `,
  `
  ALTER TABLE registrations ADD COLUMN traceparent TEXT;
  ALTER TABLE registrations ADD COLUMN tracestate TEXT;
  CREATE INDEX deliveries_dead ON deliveries (file_id) WHERE status = 'dead';
  `,
  // What operators ask for: when each stage of an upload was, what the app answered.
  `
  ALTER TABLE registrations ADD COLUMN registered_at INTEGER;
  ALTER TABLE files ADD COLUMN resumed_at INTEGER;
  ALTER TABLE files ADD COLUMN result_at INTEGER;
  -- Failed or Deleting since.
  ALTER TABLE files ADD COLUMN ended_at INTEGER;
  -- Attempts made before the event was last redelivered.
  ALTER TABLE deliveries ADD COLUMN redelivered_after INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE attempts ADD COLUMN answer TEXT;
  CREATE INDEX files_failed_by_age ON files (id) WHERE status = 'Failed';
  `,
  `
  -- What the files of an app take; kept by the triggers below, whoever changes a file.
  CREATE TABLE usage (
    app_id TEXT PRIMARY KEY,
    -- Uploaded.
    files INTEGER NOT NULL DEFAULT 0,
    stored_bytes INTEGER NOT NULL DEFAULT 0,
    -- Uploading, by their signed size.
    announced_bytes INTEGER NOT NULL DEFAULT 0
  ) STRICT, WITHOUT ROWID;
  INSERT INTO usage (app_id, files, stored_bytes, announced_bytes)
    SELECT app_id, sum(status = 'Uploaded'), sum(iif(status = 'Uploaded', size, 0)), sum(iif(status = 'Uploading', size, 0))
    FROM files GROUP BY app_id;

  CREATE TRIGGER usage_of_begun AFTER INSERT ON files BEGIN
    INSERT INTO usage (app_id, files, stored_bytes, announced_bytes)
    VALUES (
      NEW.app_id, NEW.status = 'Uploaded', iif(NEW.status = 'Uploaded', NEW.size, 0),
      iif(NEW.status = 'Uploading', NEW.size, 0)
    )
    ON CONFLICT (app_id) DO UPDATE SET
      files = files + excluded.files,
      stored_bytes = stored_bytes + excluded.stored_bytes,
      announced_bytes = announced_bytes + excluded.announced_bytes;
  END;
  CREATE TRIGGER usage_of_changed AFTER UPDATE OF status ON files WHEN OLD.status <> NEW.status BEGIN
    UPDATE usage SET
      files = files + (NEW.status = 'Uploaded') - (OLD.status = 'Uploaded'),
      stored_bytes = stored_bytes + iif(NEW.status = 'Uploaded', NEW.size, 0) - iif(OLD.status = 'Uploaded', OLD.size, 0),
      announced_bytes =
        announced_bytes + iif(NEW.status = 'Uploading', NEW.size, 0) - iif(OLD.status = 'Uploading', OLD.size, 0)
    WHERE app_id = NEW.app_id;
  END;
  CREATE TRIGGER usage_of_deleted AFTER DELETE ON files WHEN OLD.status IN ('Uploaded', 'Uploading') BEGIN
    UPDATE usage SET
      files = files - (OLD.status = 'Uploaded'),
      stored_bytes = stored_bytes - iif(OLD.status = 'Uploaded', OLD.size, 0),
      announced_bytes = announced_bytes - iif(OLD.status = 'Uploading', OLD.size, 0)
    WHERE app_id = OLD.app_id;
  END;

  CREATE INDEX files_history ON files (expires) WHERE status = 'Failed' AND has_bytes = 0;
  CREATE INDEX attempts_by_time ON attempts (started_at);
  `,
  `
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
  `,
  // An app's listing, of each status and of all of them, in one index: every upload writes it.
  `
  DROP INDEX files_by_app;
  CREATE INDEX files_of_app ON files (app_id, is_current, status);
  `,
]

const versionOf = (database: DatabaseSync): number =>
  (database.prepare("PRAGMA user_version").get() as { user_version: number }).user_version

/**
 * Brings a database to the newest schema, whoever else opens it at the same moment.
 *
 * Fails: throws when it is of a newer version of this package.
 */
export const migrate = (database: DatabaseSync): void => {
  const version = versionOf(database)
  if (version > migrations.length) {
    throw new Error(`The catalog is of version ${version}, newer than this package knows (${migrations.length}).`)
  }
  for (const [index, migration] of migrations.entries()) {
    if (versionOf(database) > index) continue
    database.exec("BEGIN IMMEDIATE")
    try {
      // Asked again: another process may have been faster.
      if (versionOf(database) === index) database.exec(`${migration}; PRAGMA user_version = ${index + 1}`)
      database.exec("COMMIT")
    } catch (cause) {
      if (database.isTransaction) database.exec("ROLLBACK")
      throw cause
    }
  }
}
