/** Triggers count how much the files of an app take (docs/decisions/020). */
export const usage = `
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
  `
