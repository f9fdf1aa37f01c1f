import { randomBytes } from "node:crypto"
import type { Command } from "commander"
import { createWebhookSecret, type FileEventType, fileEventTypes, mostEndpoints } from "../../ingest.ts"
import { listKnownApps, requireApp } from "../apps/known-app.ts"
import { CommandFailure } from "../command-failure.ts"
import type { Deployment } from "../deployment/deployment.ts"
import type { OpenDeployment } from "../deployment/open-deployment.ts"
import { withDeployment } from "../deployment/with-deployment.ts"
import { toPrintable, toShortPrintable } from "../terminal/printable.ts"
import { printTable } from "../terminal/table.ts"
import { requireEndpoint, showSecrets, toEndpointJson, unknownEndpoint } from "./known-endpoint.ts"

const showEvents = (events: ReadonlyArray<FileEventType>): string =>
  events.length === fileEventTypes.length ? "all" : events.join(", ")

/** `sluice endpoints list`. */
export const runEndpointsList = async (
  deployment: Deployment,
  { app, json }: { readonly app?: string; readonly json?: true },
): Promise<void> => {
  const all = await withDeployment(deployment, "reads", ({ catalog }) => catalog.listEndpoints())
  const endpoints = all.filter(({ appId }) => app === undefined || appId === app)
  if (json) {
    console.log(JSON.stringify({ endpoints: endpoints.map(toEndpointJson) }))
    return
  }
  if (endpoints.length === 0) {
    console.log("There are no endpoints. `sluice endpoints add <url> --events all` makes one.")
    return
  }
  printTable(
    [{ title: "ID" }, { title: "APP" }, { title: "URL" }, { title: "EVENTS" }, { title: "SECRETS (MADE)" }],
    endpoints.map(({ id, appId, url, events, secrets }) => [
      id,
      toShortPrintable(appId, 24),
      toPrintable(url),
      showEvents(events),
      showSecrets(
        secrets.filter(({ revokedAt }) => revokedAt === null),
        ", ",
      ),
    ]),
  )
}

/** The app that is meant. Fails: as wrong usage where several are there and none is named. */
const chooseApp = async (command: Command, open: OpenDeployment, named?: string): Promise<string> => {
  if (named !== undefined) return (await requireApp(open, named)).id
  const apps = await listKnownApps(open)
  const [only, ...others] = apps
  if (only !== undefined && others.length === 0) return only.id
  if (only === undefined)
    throw new CommandFailure("There is no app yet. Start the ingest once, or name one with --app.")
  command.error(`error: say with --app whose files: ${apps.map(({ id }) => toShortPrintable(id, 64)).join(", ")}`)
}

/** `sluice endpoints add`. */
export const runEndpointsAdd = async (
  command: Command,
  deployment: Deployment,
  url: string,
  { app, events, json }: { readonly app?: string; readonly events: ReadonlyArray<FileEventType>; readonly json?: true },
): Promise<void> => {
  const id = `ep_${randomBytes(6).toString("hex")}`
  const secret = createWebhookSecret()
  const endpoint = await withDeployment(deployment, "changes", async (open) => {
    const { catalog } = open
    const appId = await chooseApp(command, open, app)
    const answer = await catalog.createEndpoint({ id, appId, url, events, createdAt: Date.now(), secret })
    if (answer === "tooMany") {
      throw new CommandFailure(
        `The app ${appId} has ${mostEndpoints} endpoints, as many as it may. Remove one first: \`sluice endpoints remove <id>\`.`,
      )
    }
    return requireEndpoint(catalog, id)
  })
  if (json) {
    console.log(JSON.stringify({ ...toEndpointJson(endpoint), secret }))
    return
  }
  console.log(`${id} hears of ${showEvents(events)} from now on.`)
  console.log(`Its receiver verifies with this secret, which is shown only here:\n\n${secret}\n`)
  console.log(`A running ingest knows it within seconds. Try it: sluice endpoints test ${id}`)
}

/** `sluice endpoints change`. */
export const runEndpointsChange = async (
  deployment: Deployment,
  id: string,
  {
    url,
    events,
    json,
  }: { readonly url?: string; readonly events?: ReadonlyArray<FileEventType>; readonly json?: true },
): Promise<void> => {
  const endpoint = await withDeployment(deployment, "changes", async ({ catalog }) => {
    const changes = { ...(url !== undefined && { url }), ...(events !== undefined && { events }) }
    if (!(await catalog.changeEndpoint(id, changes))) throw unknownEndpoint(id)
    return requireEndpoint(catalog, id)
  })
  if (json) console.log(JSON.stringify(toEndpointJson(endpoint)))
  else console.log(`${id} is at ${toPrintable(endpoint.url)} and hears of ${showEvents(endpoint.events)}.`)
}

/** `sluice endpoints remove`. */
export const runEndpointsRemove = async (
  deployment: Deployment,
  id: string,
  { json }: { readonly json?: true },
): Promise<void> => {
  const isRemoved = await withDeployment(deployment, "changes", ({ catalog }) => catalog.deleteEndpoint(id))
  if (!isRemoved) throw unknownEndpoint(id)
  if (json) console.log(JSON.stringify({ id }))
  else console.log(`${id} is removed. Nothing more is sent to it.`)
}
