/** Files can be held until a verdict. */
export const holds = `
  -- 1: read by nobody, once it has arrived, until a verdict.
  ALTER TABLE files ADD COLUMN hold INTEGER;

  DROP INDEX files_of_app;
  DROP INDEX files_of_owner;
  DROP INDEX files_by_path;
  DROP INDEX files_of_owner_by_path;
  ALTER TABLE files DROP COLUMN state;
  -- The status as apps see it.
  ALTER TABLE files ADD COLUMN state TEXT GENERATED ALWAYS AS (
    iif(status <> 'Uploaded', status, iif(hold IS NOT NULL, 'Held', iif(claim_by IS NOT NULL, 'Pending', status)))) VIRTUAL;
  CREATE INDEX files_of_app ON files (app_id, is_current, state);
  CREATE INDEX files_of_owner ON files (app_id, owner, state) WHERE owner IS NOT NULL AND is_current = 1;
  CREATE INDEX files_by_path ON files (app_id, state, path) WHERE path IS NOT NULL AND is_current = 1;
  CREATE INDEX files_of_owner_by_path ON files (app_id, owner, state, path)
    WHERE owner IS NOT NULL AND path IS NOT NULL AND is_current = 1;
  -- Those that wait for a verdict, of each app oldest first.
  CREATE INDEX files_held ON files (app_id, id) WHERE hold = 1 AND status = 'Uploaded';
  `
