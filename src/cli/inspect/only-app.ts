import type { Command } from "commander"
import type { OpenDeployment } from "../deployment/open-deployment.ts"
import { toShortPrintable } from "../terminal/printable.ts"

/** As many apps are named as are read. */
const mostNamed = 10

/** The apps that were made, and those of which the catalog keeps anything: the ingest's own is there once it has been used. */
const listAppIds = async (open: OpenDeployment): Promise<ReadonlyArray<string>> => {
  const made = (await open.catalog.listApps()).map(({ id }) => id)
  return [...new Set([...(await open.listAppIds()), ...made])]
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
  open: OpenDeployment,
  what: string,
): Promise<string | undefined> => {
  const ids = await listAppIds(open)
  if (ids.length < 2) return ids[0]
  const named = ids.slice(0, mostNamed).map((id) => toShortPrintable(id, 64))
  const rest = ids.length > mostNamed ? ` and ${ids.length - mostNamed} more (\`sluice apps\`)` : ""
  command.error(`error: ${what} needs --app, because this ingest has several apps: ${named.join(", ")}${rest}`)
}
