/**
 * Whether a deletion that is not done means a file, whatever its row says. There are hardly ever any, and then an index of
 * nothing is asked.
 *
 * @param file what the statement calls the row of `files`
 */
export const isMeant = (file: string): string => `EXISTS (
  SELECT 1 FROM deletions m WHERE m.app_id = ${file}.app_id AND m.done_at IS NULL
    AND ${file}.id <= m.up_to AND m.id > coalesce(${file}.spared, 0)
    AND (m.owner = '' OR m.owner = ${file}.owner)
    AND (m.prefix = '' OR substr(${file}.path, 1, length(m.prefix)) = m.prefix))`
