import { Command, Option } from "commander"
import type { DeliveryStatus } from "../../ingest.ts"
import { names } from "../../protocol.ts"
import { addDefaultVerb } from "../terminal/help.ts"
import { jsonOption } from "../terminal/json-option.ts"
import { addPageOptions, type PageOptions } from "./page-options.ts"
import { addDeployment, resolveDeployment } from "../deployment/deployment.ts"

const statuses: ReadonlyArray<DeliveryStatus> = ["pending", "delivered", "dead"]

const createListCommand = (): Command =>
  addPageOptions(addDeployment(new Command("list")))
    .description("Lists the events that apps are owed or have been sent, newest file first.")
    .addOption(new Option("--status <status>", "only these").choices(statuses))
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice deliveries list --status dead\n")
    .action(async (options: PageOptions & { status?: DeliveryStatus; json?: true }, command: Command) => {
      const deployment = await resolveDeployment(command)
      const { runDeliveriesList } = await import("./run-deliveries.ts")
      await runDeliveriesList(deployment, options)
    })

const createShowCommand = (): Command =>
  addDeployment(new Command("show"))
    .description("Shows an event with every attempt to deliver it.")
    .argument("<id>", "id of the event (evt_…), or key or custom id of its file")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice deliveries show evt_5f0c1d2e9b3a47f6a8c4e7d1b2036f95\n")
    .action(async (id: string, options: { json?: true }, command: Command) => {
      const deployment = await resolveDeployment(command)
      const { runDeliveriesShow } = await import("./run-deliveries.ts")
      await runDeliveriesShow(deployment, id, options)
    })

const createRedeliverCommand = (): Command =>
  addDeployment(new Command("redeliver"))
    .description(
      "Makes events due now, whatever their state, and restarts their schedule. A running ingest sends them " +
        "within seconds, a stopped one when it starts.",
    )
    .argument("[id...]", "ids of events (evt_…), or keys or custom ids of their files")
    .option("--dead", "all that were given up")
    .option("--to <url>", "sends them to this callback URL from now on")
    .addOption(jsonOption())
    .addHelpText(
      "before",
      "Examples:\n  $ sluice deliveries redeliver --dead\n  $ sluice deliveries redeliver evt_5f0c1d2e9b3a47f6a8c4e7d1b2036f95\n" +
        `  $ sluice deliveries redeliver --dead --to https://app.example${names.adapterPath}\n`,
    )
    .action(
      async (ids: ReadonlyArray<string>, options: { dead?: true; to?: string; json?: true }, command: Command) => {
        if ((ids.length === 0) === (options.dead === undefined)) {
          command.error("error: name events, or say --dead for all that were given up")
        }
        const { findCallbackUrlMistake } = await import("./require-callback-url.ts")
        const mistake = options.to === undefined ? undefined : findCallbackUrlMistake(options.to)
        if (mistake !== undefined) command.error(`error: --to is not a callback URL. ${mistake}. Nothing was changed.`)
        const deployment = await resolveDeployment(command)
        const { runRedeliver } = await import("./run-redeliver.ts")
        await runRedeliver(deployment, ids, options)
      },
    )

/** `sluice deliveries [list|show|redeliver]`. */
export const createDeliveriesCommand = (): Command =>
  addDefaultVerb(
    new Command("deliveries")
      .summary("list, show or repeat what apps are told of their files")
      .description("The events of an ingest: what apps are owed, every attempt, and those that were given up."),
    createListCommand(),
  )
    .addCommand(createShowCommand())
    .addCommand(createRedeliverCommand())
    .addHelpText("before", "Example:\n  $ sluice deliveries --status pending\n")
