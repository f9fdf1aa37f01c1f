/** Data for operators: when each stage of an upload was, and what the app answered. */
export const stages = `
  ALTER TABLE registrations ADD COLUMN registered_at INTEGER;
  ALTER TABLE files ADD COLUMN resumed_at INTEGER;
  ALTER TABLE files ADD COLUMN result_at INTEGER;
  -- Failed or Deleting since.
  ALTER TABLE files ADD COLUMN ended_at INTEGER;
  -- Attempts made before the event was last redelivered.
  ALTER TABLE deliveries ADD COLUMN redelivered_after INTEGER NOT NULL DEFAULT 0;
  ALTER TABLE attempts ADD COLUMN answer TEXT;
  CREATE INDEX files_failed_by_age ON files (id) WHERE status = 'Failed';
  `
