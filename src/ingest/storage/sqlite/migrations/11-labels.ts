/** Files have an owner, a path and deadlines; what each owner has is counted. */
export const labels = `
  ALTER TABLE files ADD COLUMN owner TEXT;
  ALTER TABLE files ADD COLUMN path TEXT;
  -- ms from the arrival: how long it is kept, and how long it waits to be claimed.
  ALTER TABLE files ADD COLUMN keep_for INTEGER;
  ALTER TABLE files ADD COLUMN claim_within INTEGER;
  -- ms since the epoch: when these times end.
  ALTER TABLE files ADD COLUMN remove_at INTEGER;
  ALTER TABLE files ADD COLUMN claim_by INTEGER;
  -- The status as apps see it.
  ALTER TABLE files ADD COLUMN state TEXT
    GENERATED ALWAYS AS (iif(status = 'Uploaded' AND claim_by IS NOT NULL, 'Pending', status)) VIRTUAL;

  DROP INDEX files_of_app;
  CREATE INDEX files_of_app ON files (app_id, is_current, state);
  -- Files without labels, as most are, are in none of these.
  CREATE INDEX files_of_owner ON files (app_id, owner, state) WHERE owner IS NOT NULL AND is_current = 1;
  CREATE INDEX files_by_path ON files (app_id, state, path) WHERE path IS NOT NULL AND is_current = 1;
  CREATE INDEX files_of_owner_by_path ON files (app_id, owner, state, path)
    WHERE owner IS NOT NULL AND path IS NOT NULL AND is_current = 1;
  CREATE INDEX files_to_remove ON files (remove_at) WHERE remove_at IS NOT NULL AND status = 'Uploaded';
  CREATE INDEX files_to_claim ON files (claim_by) WHERE claim_by IS NOT NULL AND status = 'Uploaded';

  -- What the files of an owner take; an owner without files has no row.
  CREATE TABLE owner_usage (
    app_id TEXT NOT NULL,
    owner TEXT NOT NULL,
    files INTEGER NOT NULL,
    stored_bytes INTEGER NOT NULL,
    announced_bytes INTEGER NOT NULL,
    -- Rows of files in any state.
    rows INTEGER NOT NULL,
    PRIMARY KEY (app_id, owner)
  ) STRICT, WITHOUT ROWID;
  CREATE TRIGGER owner_of_begun AFTER INSERT ON files WHEN NEW.owner IS NOT NULL BEGIN
    INSERT INTO owner_usage (app_id, owner, files, stored_bytes, announced_bytes, rows)
    VALUES (
      NEW.app_id, NEW.owner, NEW.status = 'Uploaded', iif(NEW.status = 'Uploaded', NEW.size, 0),
      iif(NEW.status = 'Uploading', NEW.size, 0), 1
    )
    ON CONFLICT (app_id, owner) DO UPDATE SET
      files = files + excluded.files,
      stored_bytes = stored_bytes + excluded.stored_bytes,
      announced_bytes = announced_bytes + excluded.announced_bytes,
      rows = rows + 1;
  END;
  CREATE TRIGGER owner_of_changed AFTER UPDATE OF status ON files
    WHEN NEW.owner IS NOT NULL AND OLD.status <> NEW.status BEGIN
    UPDATE owner_usage SET
      files = files + (NEW.status = 'Uploaded') - (OLD.status = 'Uploaded'),
      stored_bytes = stored_bytes + iif(NEW.status = 'Uploaded', NEW.size, 0) - iif(OLD.status = 'Uploaded', OLD.size, 0),
      announced_bytes =
        announced_bytes + iif(NEW.status = 'Uploading', NEW.size, 0) - iif(OLD.status = 'Uploading', OLD.size, 0)
    WHERE app_id = NEW.app_id AND owner = NEW.owner;
  END;
  CREATE TRIGGER owner_of_deleted AFTER DELETE ON files WHEN OLD.owner IS NOT NULL BEGIN
    UPDATE owner_usage SET
      files = files - (OLD.status = 'Uploaded'),
      stored_bytes = stored_bytes - iif(OLD.status = 'Uploaded', OLD.size, 0),
      announced_bytes = announced_bytes - iif(OLD.status = 'Uploading', OLD.size, 0),
      rows = rows - 1
    WHERE app_id = OLD.app_id AND owner = OLD.owner;
    DELETE FROM owner_usage WHERE app_id = OLD.app_id AND owner = OLD.owner AND rows = 0;
  END;

  -- Labels are in the row and in up to three indexes, and count among what the catalog keeps.
  DROP TRIGGER usage_of_begun;
  CREATE TRIGGER usage_of_begun AFTER INSERT ON files BEGIN
    INSERT INTO usage (app_id, files, stored_bytes, announced_bytes, catalog_bytes)
    VALUES (
      NEW.app_id, NEW.status = 'Uploaded', iif(NEW.status = 'Uploaded', NEW.size, 0),
      iif(NEW.status = 'Uploading', NEW.size, 0),
      512 + 4 * coalesce(octet_length(NEW.owner), 0) + 3 * coalesce(octet_length(NEW.path), 0)
    )
    ON CONFLICT (app_id) DO UPDATE SET
      files = files + excluded.files,
      stored_bytes = stored_bytes + excluded.stored_bytes,
      announced_bytes = announced_bytes + excluded.announced_bytes,
      catalog_bytes = catalog_bytes + excluded.catalog_bytes;
  END;
  DROP TRIGGER usage_of_deleted;
  CREATE TRIGGER usage_of_deleted AFTER DELETE ON files BEGIN
    UPDATE usage SET
      files = files - (OLD.status = 'Uploaded'),
      stored_bytes = stored_bytes - iif(OLD.status = 'Uploaded', OLD.size, 0),
      announced_bytes = announced_bytes - iif(OLD.status = 'Uploading', OLD.size, 0),
      catalog_bytes = catalog_bytes - 512 - 4 * coalesce(octet_length(OLD.owner), 0) - 3 * coalesce(octet_length(OLD.path), 0)
        - coalesce(octet_length(OLD.result_data), 0) - coalesce(octet_length(OLD.result_error), 0)
    WHERE app_id = OLD.app_id;
  END;
  CREATE TRIGGER usage_of_moved AFTER UPDATE OF path ON files WHEN OLD.path IS NOT NEW.path BEGIN
    UPDATE usage SET catalog_bytes = catalog_bytes
      + 3 * coalesce(octet_length(NEW.path), 0) - 3 * coalesce(octet_length(OLD.path), 0)
    WHERE app_id = NEW.app_id;
  END;
  `
