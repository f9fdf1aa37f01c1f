/**
 * Functions that the driver calls. They are in a schema of this version, so that processes of the version before go on
 * calling theirs while others have begun with the next one.
 *
 * `hold_keys` is why two transactions that change the same key come one after the other (docs/decisions/082): the second
 * one waits to insert what the first one has inserted, and its next statement sees everything that the first one wrote.
 */
export const functions = (versioned: string): string => `
  CREATE FUNCTION ${versioned}.hold_keys(keys text[]) RETURNS void LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO held_keys (key) SELECT DISTINCT k COLLATE "C" AS k FROM unnest(keys) AS k ORDER BY k
    ON CONFLICT (key) DO UPDATE SET key = excluded.key;
    DELETE FROM held_keys WHERE key = ANY (keys);
  END $$;
  `
