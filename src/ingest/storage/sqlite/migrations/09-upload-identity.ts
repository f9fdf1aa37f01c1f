/** An upload belongs to the registration that its URL names, so that one key can be expected for several. */
export const uploadIdentity = `
  -- Id of the registration as URLs say it; '' where they say none.
  ALTER TABLE files ADD COLUMN wire_id TEXT NOT NULL DEFAULT '';
  -- When the first URL was signed.
  ALTER TABLE files ADD COLUMN issued_at INTEGER;
  CREATE INDEX files_replaced ON files (key) WHERE is_current = 0;

  CREATE TABLE expected_uploads (
    key TEXT NOT NULL,
    wire_id TEXT NOT NULL,
    registration_id INTEGER NOT NULL REFERENCES registrations (id),
    -- When the newest URL expires.
    expires INTEGER NOT NULL,
    PRIMARY KEY (key, wire_id)
  ) STRICT, WITHOUT ROWID;
  INSERT INTO expected_uploads (key, wire_id, registration_id, expires)
    SELECT key, '', registration_id, registered_at + 2592000000 FROM expected_files;
  DROP TABLE expected_files;
  ALTER TABLE expected_uploads RENAME TO expected_files;
  CREATE INDEX expected_files_by_expiry ON expected_files (expires);
  CREATE INDEX expected_files_by_registration ON expected_files (registration_id);

  -- Left behind by keys that were registered again.
  DELETE FROM registrations WHERE id NOT IN (SELECT registration_id FROM expected_files)
    AND id NOT IN (SELECT registration_id FROM files WHERE registration_id IS NOT NULL)
    AND id NOT IN (SELECT registration_id FROM deliveries);
  `
