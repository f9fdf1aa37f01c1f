/** Deletions are remembered while a URL for the file may be valid; what the catalog keeps for an app is counted. */
export const tombstones = `
  CREATE TABLE tombstones (
    app_id TEXT NOT NULL,
    key TEXT NOT NULL,
    -- URLs of uploads that were first signed until then are refused.
    deleted_at INTEGER NOT NULL,
    -- When it has ended.
    until INTEGER NOT NULL,
    -- 0: there was no file yet.
    had_file INTEGER NOT NULL,
    PRIMARY KEY (app_id, key)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX tombstones_by_end ON tombstones (until);
  -- Until when a URL for the key may be valid, where that is later than what the other columns say.
  ALTER TABLE files ADD COLUMN urls_end INTEGER;

  ALTER TABLE expected_files ADD COLUMN app_id TEXT NOT NULL DEFAULT '';
  -- Its part of the bytes of its registration, and its own.
  ALTER TABLE expected_files ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
  UPDATE expected_files SET
    app_id = (SELECT app_id FROM registrations r WHERE r.id = registration_id),
    bytes = octet_length(key) + 128;

  -- What the catalog keeps of an app: rows by a flat size, and what varies. Contents count as stored bytes.
  ALTER TABLE usage ADD COLUMN catalog_bytes INTEGER NOT NULL DEFAULT 0;
  -- Files that are announced: registered and not ended, or deleted before there was one.
  ALTER TABLE usage ADD COLUMN expected_files INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE usage ADD COLUMN expected_bytes INTEGER NOT NULL DEFAULT 0;
  INSERT INTO usage (app_id, catalog_bytes, expected_files, expected_bytes)
    SELECT app_id, sum(bytes), sum(files), sum(expected) FROM (
      SELECT app_id, 512 + coalesce(octet_length(result_data), 0) + coalesce(octet_length(result_error), 0) AS bytes,
        0 AS files, 0 AS expected FROM files
      UNION ALL SELECT app_id, octet_length(metadata) + octet_length(callback_url) + octet_length(callback_slug)
        + coalesce(octet_length(tracestate), 0) + 256, 0, 0 FROM registrations
      UNION ALL SELECT app_id, octet_length(key) + 128, 1, bytes FROM expected_files
    ) GROUP BY app_id
    ON CONFLICT (app_id) DO UPDATE SET catalog_bytes = excluded.catalog_bytes,
      expected_files = excluded.expected_files, expected_bytes = excluded.expected_bytes;

  DROP TRIGGER usage_of_begun;
  CREATE TRIGGER usage_of_begun AFTER INSERT ON files BEGIN
    INSERT INTO usage (app_id, files, stored_bytes, announced_bytes, catalog_bytes)
    VALUES (
      NEW.app_id, NEW.status = 'Uploaded', iif(NEW.status = 'Uploaded', NEW.size, 0),
      iif(NEW.status = 'Uploading', NEW.size, 0), 512
    )
    ON CONFLICT (app_id) DO UPDATE SET
      files = files + excluded.files,
      stored_bytes = stored_bytes + excluded.stored_bytes,
      announced_bytes = announced_bytes + excluded.announced_bytes,
      catalog_bytes = catalog_bytes + 512;
  END;
  DROP TRIGGER usage_of_deleted;
  CREATE TRIGGER usage_of_deleted AFTER DELETE ON files BEGIN
    UPDATE usage SET
      files = files - (OLD.status = 'Uploaded'),
      stored_bytes = stored_bytes - iif(OLD.status = 'Uploaded', OLD.size, 0),
      announced_bytes = announced_bytes - iif(OLD.status = 'Uploading', OLD.size, 0),
      catalog_bytes = catalog_bytes - 512
        - coalesce(octet_length(OLD.result_data), 0) - coalesce(octet_length(OLD.result_error), 0)
    WHERE app_id = OLD.app_id;
  END;
  CREATE TRIGGER usage_of_result AFTER UPDATE OF result_data, result_error ON files BEGIN
    UPDATE usage SET catalog_bytes = catalog_bytes
      + coalesce(octet_length(NEW.result_data), 0) + coalesce(octet_length(NEW.result_error), 0)
      - coalesce(octet_length(OLD.result_data), 0) - coalesce(octet_length(OLD.result_error), 0)
    WHERE app_id = NEW.app_id;
  END;
  CREATE TRIGGER usage_of_registered AFTER INSERT ON registrations BEGIN
    INSERT INTO usage (app_id, catalog_bytes)
    VALUES (NEW.app_id, octet_length(NEW.metadata) + octet_length(NEW.callback_url) + octet_length(NEW.callback_slug)
      + coalesce(octet_length(NEW.tracestate), 0) + 256)
    ON CONFLICT (app_id) DO UPDATE SET catalog_bytes = catalog_bytes + excluded.catalog_bytes;
  END;
  CREATE TRIGGER usage_of_unregistered AFTER DELETE ON registrations BEGIN
    UPDATE usage SET catalog_bytes = catalog_bytes - octet_length(OLD.metadata) - octet_length(OLD.callback_url)
      - octet_length(OLD.callback_slug) - coalesce(octet_length(OLD.tracestate), 0) - 256
    WHERE app_id = OLD.app_id;
  END;
  CREATE TRIGGER usage_of_expected AFTER INSERT ON expected_files BEGIN
    UPDATE usage SET catalog_bytes = catalog_bytes + octet_length(NEW.key) + 128,
      expected_files = expected_files + 1, expected_bytes = expected_bytes + NEW.bytes
    WHERE app_id = NEW.app_id;
  END;
  CREATE TRIGGER usage_of_expected_again AFTER UPDATE OF bytes ON expected_files WHEN OLD.bytes <> NEW.bytes BEGIN
    UPDATE usage SET expected_bytes = expected_bytes + NEW.bytes - OLD.bytes WHERE app_id = NEW.app_id;
  END;
  CREATE TRIGGER usage_of_arrived AFTER DELETE ON expected_files BEGIN
    UPDATE usage SET catalog_bytes = catalog_bytes - octet_length(OLD.key) - 128,
      expected_files = expected_files - 1, expected_bytes = expected_bytes - OLD.bytes
    WHERE app_id = OLD.app_id;
  END;
  CREATE TRIGGER usage_of_buried AFTER INSERT ON tombstones BEGIN
    INSERT INTO usage (app_id, catalog_bytes, expected_files, expected_bytes)
    VALUES (NEW.app_id, octet_length(NEW.key) + 128, NEW.had_file = 0, iif(NEW.had_file = 0, octet_length(NEW.key) + 128, 0))
    ON CONFLICT (app_id) DO UPDATE SET
      catalog_bytes = catalog_bytes + excluded.catalog_bytes,
      expected_files = expected_files + excluded.expected_files,
      expected_bytes = expected_bytes + excluded.expected_bytes;
  END;
  CREATE TRIGGER usage_of_buried_again AFTER UPDATE OF had_file ON tombstones WHEN OLD.had_file <> NEW.had_file BEGIN
    UPDATE usage SET expected_files = expected_files + OLD.had_file - NEW.had_file,
      expected_bytes = expected_bytes + (OLD.had_file - NEW.had_file) * (octet_length(NEW.key) + 128)
    WHERE app_id = NEW.app_id;
  END;
  CREATE TRIGGER usage_of_forgotten AFTER DELETE ON tombstones BEGIN
    UPDATE usage SET catalog_bytes = catalog_bytes - octet_length(OLD.key) - 128,
      expected_files = expected_files - (OLD.had_file = 0),
      expected_bytes = expected_bytes - iif(OLD.had_file = 0, octet_length(OLD.key) + 128, 0)
    WHERE app_id = OLD.app_id;
  END;
  `
