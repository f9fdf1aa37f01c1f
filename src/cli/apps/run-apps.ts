import { styleText } from "node:util"
import type { AppSettings, Catalog, Usage } from "../../ingest.ts"
import { formatByteSize } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"
import type { Deployment } from "../deployment/deployment.ts"
import type { OpenDeployment } from "../deployment/open-deployment.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { formatMoment } from "../terminal/moment.ts"
import { toPrintable, toShortPrintable } from "../terminal/printable.ts"
import { printFacts, printTable } from "../terminal/table.ts"
import { toAppJson, toKeyJson } from "./app-json.ts"
import { activeKeysOf, adoptApp, type KnownApp, listKnownApps, requireApp, unknownApp } from "./known-app.ts"
import { showKey } from "./run-keys.ts"

interface JsonOption {
  readonly json?: true
}

const showStored = ({ quota }: KnownApp, { storedBytes }: Usage): string => {
  const stored = formatByteSize(storedBytes)
  if (quota === null) return stored
  return quota === "unlimited" ? `${stored}, no limit` : `${stored} of ${formatByteSize(quota)}`
}

/** `sluice apps list`. */
export const runAppsList = async (deployment: Deployment, { json }: JsonOption): Promise<void> => {
  const apps = await withDeployment(deployment, "reads", async (open) =>
    Promise.all((await listKnownApps(open)).map(async (app) => ({ app, usage: await open.catalog.usage(app.id) }))),
  )
  if (json) {
    console.log(JSON.stringify({ apps: apps.map(({ app, usage }) => toAppJson(app, usage)) }))
    return
  }
  if (apps.length === 0) {
    console.log("There are no apps. `sluice apps create` makes one.")
    return
  }
  printTable(
    [
      { title: "ID" },
      { title: "NAME" },
      { title: "KEYS", align: "right" },
      { title: "FILES", align: "right" },
      { title: "STORED", align: "right" },
      { title: "ACL" },
      { title: "CALLBACKS TO" },
    ],
    apps.map(({ app, usage }) => [
      toShortPrintable(app.id, 64) + (app.tokenSource === null ? "" : " *"),
      toShortPrintable(app.name ?? "", 32),
      String(activeKeysOf(app).length),
      String(usage.files),
      showStored(app, usage),
      app.defaultAcl ?? "default",
      app.callbackOrigins?.join(", ") ?? "any",
    ]),
  )
  const sources = new Set(apps.flatMap(({ app }) => app.tokenSource ?? []))
  for (const source of sources) console.log(styleText("dim", `\n* the ingest's own app, of ${source}`))
}

const printApp = (app: KnownApp, usage: Usage): void => {
  const { id, name, tokenSource, createdAt, defaultAcl, quota, callbackOrigins, keys } = app
  printFacts([
    ["App", toPrintable(id)],
    ["Name", name && toPrintable(name)],
    ["Token", tokenSource && `the ingest's own, in ${tokenSource}`],
    ["Made", createdAt === null ? null : formatMoment(createdAt)],
    ["Files", String(usage.files)],
    ["Stored", `${formatByteSize(usage.storedBytes)} (${usage.storedBytes} bytes)`],
    ["Under way", usage.announcedBytes === 0 ? null : formatByteSize(usage.announcedBytes)],
    [
      "Quota",
      quota === null
        ? "the ingest's setting"
        : quota === "unlimited"
          ? "no limit"
          : `${formatByteSize(quota)} (${quota} bytes)`,
    ],
    ["Access", defaultAcl ?? "the ingest's setting"],
    ["Callbacks to", callbackOrigins?.join(", ") ?? "any origin"],
    ...keys.map((key, index) => [index === 0 ? "Keys" : "", showKey(key)] as const),
  ])
}

/** `sluice apps show`. */
export const runAppsShow = async (deployment: Deployment, id: string, { json }: JsonOption): Promise<void> => {
  const [app, usage] = await withDeployment(deployment, "reads", async (open) => [
    await requireApp(open, id),
    await open.catalog.usage(id),
  ])
  if (json) console.log(JSON.stringify({ ...toAppJson(app, usage), keys: app.keys.map(toKeyJson) }))
  else printApp(app, usage)
}

/** `sluice apps set`. */
export const runAppsSet = async (
  deployment: Deployment,
  id: string,
  changes: Partial<AppSettings>,
  options: JsonOption,
): Promise<void> => {
  await withDeployment(deployment, "changes", async (open) => {
    await adoptApp(open.catalog, await requireApp(open, id))
    if (!(await open.catalog.changeApp(id, changes))) throw unknownApp(id, open)
  })
  await runAppsShow(deployment, id, options)
}

/** Why an app with files cannot be deleted. */
const describeFiles = async (catalog: Catalog, id: string): Promise<string> => {
  const { files, announcedBytes } = await catalog.usage(id)
  const stored = files === 0 ? [] : [files === 1 ? "1 file" : `${files} files`]
  const more = announcedBytes > 0 ? ["uploads under way"] : []
  const all = [...stored, ...more]
  return all.length === 0 ? "files that are being deleted" : all.join(" and ")
}

const refuseOwn = ({ id, tokenSource }: KnownApp): CommandFailure =>
  new CommandFailure(
    `${id} is the ingest's own app and cannot be deleted: ${tokenSource} holds its token. ` +
      `To end a key of it: \`sluice keys revoke ${id} <key>\`.`,
  )

const remove = async (open: OpenDeployment, id: string): Promise<void> => {
  const { catalog } = open
  const app = await requireApp(open, id)
  // If it were deleted, a revoked key would be valid again where the ingest's token holds it.
  if (app.tokenSource !== null) throw refuseOwn(app)
  const answer = await catalog.deleteApp(id)
  if (answer === "unknown") throw unknownApp(id, open)
  if (answer === "deleted") return
  throw new CommandFailure(
    `The app ${id} has ${await describeFiles(catalog, id)}: see \`sluice files list --app ${id}\`. ` +
      "Let the app delete them first (`deleteFiles` of its API), and try again once they are gone. " +
      `To lock it out at once, revoke its keys: \`sluice keys ${id}\`.`,
  )
}

/** `sluice apps delete`. */
export const runAppsDelete = async (deployment: Deployment, id: string, { json }: JsonOption): Promise<void> => {
  await withDeployment(deployment, "changes", (open) => remove(open, id))
  if (json) console.log(JSON.stringify({ deleted: id }))
  else console.log(`The app ${toPrintable(id)} and its keys are gone. A running ingest knows within about a second.`)
}
