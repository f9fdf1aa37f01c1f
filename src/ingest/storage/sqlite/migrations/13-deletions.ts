/** Many files can be deleted at once: which are meant is known before their rows are changed. */
export const deletions = `
  CREATE TABLE deletions (
    -- Never used again, so that a file can say which deletions it was moved after.
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    app_id TEXT NOT NULL,
    -- '' where any owner is meant, and where any path is.
    owner TEXT NOT NULL,
    prefix TEXT NOT NULL,
    -- Id of the newest file that is meant.
    up_to INTEGER NOT NULL,
    asked_at INTEGER NOT NULL,
    -- When the last row was changed; NULL: some are left.
    done_at INTEGER,
    deleted_count INTEGER NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX deletions_of_app ON deletions (app_id, owner, prefix);
  CREATE INDEX deletions_open ON deletions (app_id, id) WHERE done_at IS NULL;
  CREATE INDEX deletions_by_time ON deletions (asked_at) WHERE done_at IS NOT NULL;
  -- Each counts as a key without a file does, as long as it is remembered.
  CREATE TRIGGER usage_of_deletion AFTER INSERT ON deletions BEGIN
    INSERT INTO usage (app_id, catalog_bytes, expected_files, expected_bytes)
    VALUES (
      NEW.app_id, octet_length(NEW.owner) + octet_length(NEW.prefix) + 128, 1,
      octet_length(NEW.owner) + octet_length(NEW.prefix) + 128
    )
    ON CONFLICT (app_id) DO UPDATE SET
      catalog_bytes = catalog_bytes + excluded.catalog_bytes,
      expected_files = expected_files + 1,
      expected_bytes = expected_bytes + excluded.expected_bytes;
  END;
  CREATE TRIGGER usage_of_deletion_forgotten AFTER DELETE ON deletions BEGIN
    UPDATE usage SET
      catalog_bytes = catalog_bytes - octet_length(OLD.owner) - octet_length(OLD.prefix) - 128,
      expected_files = expected_files - 1,
      expected_bytes = expected_bytes - octet_length(OLD.owner) - octet_length(OLD.prefix) - 128
    WHERE app_id = OLD.app_id;
  END;
  -- Id of the newest deletion when its path was last changed.
  ALTER TABLE files ADD COLUMN spared INTEGER;
  `
