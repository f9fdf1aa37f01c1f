/** Files, their registrations, and their events. */
export const firstSchema = `
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
  `
