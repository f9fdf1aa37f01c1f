/** An app's listing, of each status and of all of them, uses one index, because every upload has to write it. */
export const listings = `
  DROP INDEX files_by_app;
  CREATE INDEX files_of_app ON files (app_id, is_current, status);
  `
