import type { Command } from "commander"
import { type Catalog, readSqliteCatalog } from "../../ingest.ts"
import type { DataFolder } from "../data-folder.ts"
import { toShortPrintable } from "../terminal/printable.ts"

/** As many apps are named as are read. */
const mostNamed = 10

/** The apps that were made, and those of which the catalog keeps anything: the ingest's own is there once it has been used. */
const listAppIds = async (catalog: Catalog, { catalog: file }: DataFolder): Promise<ReadonlyArray<string>> => {
  const made = (await catalog.listApps()).map(({ id }) => id)
  const reader = readSqliteCatalog({ file })
  try {
    return [...new Set([...reader.listAppIds(), ...made])]
  } finally {
    reader.close()
  }
}

/**
 * The app that is meant where no `--app` names one: the only one that there is; undefined where there is none, and so no
 * file either.
 *
 * Fails: as wrong usage, with their names, where there are several.
 *
 * @param what needs an app, `--owner`
 */
export const findOnlyApp = async (
  command: Command,
  catalog: Catalog,
  folder: DataFolder,
  what: string,
): Promise<string | undefined> => {
  const ids = await listAppIds(catalog, folder)
  if (ids.length < 2) return ids[0]
  const named = ids.slice(0, mostNamed).map((id) => toShortPrintable(id, 64))
  const rest = ids.length > mostNamed ? ` and ${ids.length - mostNamed} more (\`sluice apps\`)` : ""
  command.error(`error: ${what} needs --app, because this ingest has several apps: ${named.join(", ")}${rest}`)
}
