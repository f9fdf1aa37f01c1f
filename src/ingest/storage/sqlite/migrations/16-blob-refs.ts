/** What the blob store wants to be told when it reads a file. */
export const blobRefs = `
  ALTER TABLE files ADD COLUMN blob_ref TEXT;
  `
