/** An app's listing, of each status and of all of them, in one index: every upload writes it. */
export const listings = `
  DROP INDEX files_by_app;
  CREATE INDEX files_of_app ON files (app_id, is_current, status);
  `
