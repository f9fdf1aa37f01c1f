import type pg from "pg"
import { createPostgresCatalog } from "../../../../src/postgres.ts"

/**
 * Leaves the tables of a schema as they are when they are made, where it has any: much less work than to make them anew.
 *
 * @param pool connections of a superuser, so that no trigger counts what goes
 */
const emptySchema = async (pool: pg.Pool, schema: string): Promise<void> => {
  await pool.query(`
    DO $$
    DECLARE
      one text;
    BEGIN
      PERFORM set_config('session_replication_role', 'replica', true);
      FOR one IN
        SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
        WHERE schemaname = '${schema}' AND tablename NOT IN ('schema_version', 'apps_revision')
      LOOP
        EXECUTE 'DELETE FROM ' || one;
      END LOOP;
      IF to_regclass(format('%I.apps_revision', '${schema}')) IS NOT NULL THEN
        EXECUTE format('UPDATE %I.apps_revision SET revision = 0', '${schema}');
      END IF;
    END $$`)
}

/** How `testCatalog` makes catalogs of one schema, whose tables are made once. */
export const setUpSchema = (pool: () => pg.Pool, nameSchema: () => string) => {
  const open = async () => createPostgresCatalog({ pool: pool(), schema: nameSchema() })
  return {
    create: async () => {
      const catalog = await open()
      // Its tables are made when it is asked for the first time.
      await catalog.probe()
      return catalog
    },
    reopen: open,
    openBeside: open,
    cleanUp: () => emptySchema(pool(), nameSchema()),
  }
}
