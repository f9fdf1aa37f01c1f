/** Due deliveries by app: what waits for one app must cost the others nothing. */
export const dueByApp = `
  ALTER TABLE deliveries ADD COLUMN app_id TEXT NOT NULL DEFAULT '';
  UPDATE deliveries SET app_id = (SELECT r.app_id FROM registrations r WHERE r.id = deliveries.registration_id);
  DROP INDEX deliveries_due;
  CREATE INDEX deliveries_due ON deliveries (is_dev, app_id, next_at) WHERE status = 'pending';
  `
