/*
 * Triggers count how much the files of an app take, as those of SQLite do (docs/decisions/020). Each runs once for a
 * statement, however many rows it changes. What an app takes is the sum of 64 rows: transactions of different connections
 * would wait for one row until the other has committed.
 */

/** A change of some counts of an app, from rows that the statement has changed. */
const count = (columns: Readonly<Record<string, string>>, rows: string): string => {
  const names = Object.keys(columns)
  return `
    INSERT INTO usage (app_id, shard, ${names.join(", ")})
    SELECT app_id, pg_backend_pid() % 64, ${names.map((name) => `coalesce(sum(${columns[name]}), 0)`).join(", ")}
    FROM ${rows} AS changed WHERE app_id <> '' GROUP BY app_id ORDER BY app_id
    ON CONFLICT (app_id, shard) DO UPDATE SET ${names.map((name) => `${name} = usage.${name} + excluded.${name}`).join(", ")};`
}

/** The same for owners. One without rows of files has no row. */
const countOfOwner = (columns: Readonly<Record<string, string>>, rows: string): string => {
  const names = Object.keys(columns)
  return `
    INSERT INTO owner_usage (app_id, owner, ${names.join(", ")})
    SELECT app_id, owner, ${names.map((name) => `coalesce(sum(${columns[name]}), 0)`).join(", ")}
    FROM ${rows} AS changed WHERE app_id <> '' AND owner IS NOT NULL GROUP BY app_id, owner ORDER BY app_id, owner
    ON CONFLICT (app_id, owner) DO UPDATE SET
      ${names.map((name) => `${name} = owner_usage.${name} + excluded.${name}`).join(", ")};`
}

const is = (row: string, status: string): string => `(${row}status = '${status}')::int`
const sizeIf = (row: string, status: string): string =>
  `CASE WHEN ${row}status = '${status}' THEN ${row}size ELSE 0 END`
const bytesOf = (...texts: ReadonlyArray<string>): string =>
  texts.map((text) => `coalesce(octet_length(${text}), 0)`).join(" + ")
const bytesOfFile = (row: string): string =>
  `4 * ${bytesOf(`${row}owner`)} + 3 * ${bytesOf(`${row}path`)} + ${bytesOf(`${row}result_data`, `${row}result_error`)}`
const bytesOfRegistration = bytesOf("metadata", "callback_url", "callback_slug", "tracestate")

const ofFile = {
  files: is("", "Uploaded"),
  stored_bytes: sizeIf("", "Uploaded"),
  announced_bytes: sizeIf("", "Uploading"),
}
const negative = (columns: Readonly<Record<string, string>>): Record<string, string> =>
  Object.fromEntries(Object.entries(columns).map(([name, value]) => [name, `-(${value})`]))

const wholeFile = { ...ofFile, catalog_bytes: `512 + ${bytesOfFile("")}` }
const registration = { catalog_bytes: `256 + ${bytesOfRegistration}` }
const expected = { catalog_bytes: "octet_length(key) + 128", expected_files: "1", expected_bytes: "bytes" }
const buried = {
  catalog_bytes: "octet_length(key) + 128",
  expected_files: "1 - had_file",
  expected_bytes: "(1 - had_file) * (octet_length(key) + 128)",
}
const selectionBytes = "octet_length(owner) + octet_length(prefix) + 128"
const deletion = { catalog_bytes: selectionBytes, expected_files: "1", expected_bytes: selectionBytes }

/** What an update of files changes of the counts: rows that differ in what counts. */
const changedFiles = `(
  SELECT n.app_id, n.owner,
    ${is("n.", "Uploaded")} - ${is("o.", "Uploaded")} AS files,
    ${sizeIf("n.", "Uploaded")} - ${sizeIf("o.", "Uploaded")} AS stored_bytes,
    ${sizeIf("n.", "Uploading")} - ${sizeIf("o.", "Uploading")} AS announced_bytes,
    ${bytesOfFile("n.")} - (${bytesOfFile("o.")}) AS catalog_bytes
  FROM new_rows n JOIN old_rows o ON o.id = n.id
  WHERE n.app_id = o.app_id AND (n.status <> o.status OR n.path IS DISTINCT FROM o.path
    OR n.result_data IS DISTINCT FROM o.result_data OR n.result_error IS DISTINCT FROM o.result_error))`

const same = (names: ReadonlyArray<string>): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, name]))

type Event = "insert" | "update" | "delete"

const tables: Readonly<Record<Event, string>> = {
  insert: "NEW TABLE AS new_rows",
  update: "OLD TABLE AS old_rows NEW TABLE AS new_rows",
  delete: "OLD TABLE AS old_rows",
}

/** Runs statements after each statement that changes rows of a table. */
export const afterStatement = (schema: string, table: string, event: Event, name: string, body: string): string => `
  CREATE FUNCTION ${schema}.${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} RETURN NULL; END $$;
  CREATE TRIGGER ${name} AFTER ${event} ON ${schema}.${table} REFERENCING ${tables[event]}
    FOR EACH STATEMENT EXECUTE FUNCTION ${schema}.${name}();`

/** The counts, and who keeps them. */
export const usage = (schema: string): string => {
  const after = (table: string, event: Event, body: string): string =>
    afterStatement(schema, table, event, `usage_of_${table}_${event}`, body)
  const ownerCounts = { ...ofFile, rows: "1" }
  return `
  CREATE TABLE ${schema}.usage (
    app_id text COLLATE "C" NOT NULL,
    shard integer NOT NULL,
    -- Uploaded.
    files bigint NOT NULL DEFAULT 0,
    stored_bytes numeric NOT NULL DEFAULT 0,
    -- Uploading, by their signed size.
    announced_bytes numeric NOT NULL DEFAULT 0,
    -- Rows by a flat size, and what varies. Contents count as stored bytes.
    catalog_bytes bigint NOT NULL DEFAULT 0,
    -- Files that are announced: registered and not ended, or deleted before there was one.
    expected_files bigint NOT NULL DEFAULT 0,
    expected_bytes bigint NOT NULL DEFAULT 0,
    PRIMARY KEY (app_id, shard)
  ) WITH (fillfactor = 50);
  CREATE TABLE ${schema}.owner_usage (
    app_id text COLLATE "C" NOT NULL,
    owner text COLLATE "C" NOT NULL,
    files bigint NOT NULL,
    stored_bytes numeric NOT NULL,
    announced_bytes numeric NOT NULL,
    -- Rows of files in any state.
    rows bigint NOT NULL,
    PRIMARY KEY (app_id, owner)
  ) WITH (fillfactor = 50);
  ${after("files", "insert", count(wholeFile, "new_rows") + countOfOwner(ownerCounts, "new_rows"))}
  ${after(
    "files",
    "update",
    count(same(["files", "stored_bytes", "announced_bytes", "catalog_bytes"]), changedFiles) +
      countOfOwner(
        { ...same(["files", "stored_bytes", "announced_bytes"]), rows: "0" },
        `(SELECT * FROM ${changedFiles} AS all_changed WHERE files <> 0 OR stored_bytes <> 0 OR announced_bytes <> 0)`,
      ),
  )}
  ${after(
    "files",
    "delete",
    `${count(negative(wholeFile), "old_rows")}${countOfOwner(negative(ownerCounts), "old_rows")}
    DELETE FROM owner_usage u USING old_rows o WHERE u.app_id = o.app_id AND u.owner = o.owner AND u.rows = 0;`,
  )}
  ${after("registrations", "insert", count(registration, "new_rows"))}
  ${after(
    "registrations",
    "update",
    count(
      { catalog_bytes: "catalog_bytes" },
      `(SELECT n.app_id, octet_length(n.callback_url) - octet_length(o.callback_url) AS catalog_bytes
        FROM new_rows n JOIN old_rows o ON o.id = n.id)`,
    ),
  )}
  ${after("registrations", "delete", count(negative(registration), "old_rows"))}
  ${after("expected_files", "insert", count(expected, "new_rows"))}
  ${after(
    "expected_files",
    "update",
    count(
      { expected_bytes: "bytes" },
      `(SELECT n.app_id, n.bytes - o.bytes AS bytes FROM new_rows n JOIN old_rows o
        ON o.key = n.key AND o.wire_id = n.wire_id WHERE n.bytes <> o.bytes)`,
    ),
  )}
  ${after("expected_files", "delete", count(negative(expected), "old_rows"))}
  ${after("tombstones", "insert", count(buried, "new_rows"))}
  ${after(
    "tombstones",
    "update",
    count(
      { expected_files: "files", expected_bytes: "files * (octet_length(key) + 128)" },
      `(SELECT n.app_id, n.key, o.had_file - n.had_file AS files FROM new_rows n JOIN old_rows o
        ON o.app_id = n.app_id AND o.key = n.key WHERE o.had_file <> n.had_file)`,
    ),
  )}
  ${after("tombstones", "delete", count(negative(buried), "old_rows"))}
  ${after("deletions", "insert", count(deletion, "new_rows"))}
  ${after("deletions", "delete", count(negative(deletion), "old_rows"))}
  `
}
