/** Small files are kept in the catalog. */
export const contents = `
  ALTER TABLE files ADD COLUMN is_inline INTEGER NOT NULL DEFAULT 0;

  -- The bytes of small files.
  CREATE TABLE contents (
    file_id INTEGER PRIMARY KEY REFERENCES files (id),
    bytes BLOB NOT NULL
  ) STRICT;
  `
