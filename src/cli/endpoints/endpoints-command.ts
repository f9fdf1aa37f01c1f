import { Command, InvalidArgumentError, Option } from "commander"
import { type DeliveryStatus, type FileEventType, fileEventTypes } from "../../ingest.ts"
import { findUrlMistake } from "../../schema/http-url.ts"
import { addPageOptions, type PageOptions } from "../inspect/page-options.ts"
import { addDeployment, resolveDeployment } from "../deployment/deployment.ts"
import { addDefaultVerb } from "../terminal/help.ts"
import { jsonOption } from "../terminal/json-option.ts"

interface JsonOption {
  readonly json?: true
}

/** Fails: as wrong usage. The text may hold a password, so it is not repeated. */
const parseUrl = (command: Command, text: string): string => {
  const mistake = findUrlMistake(text)
  if (mistake !== undefined) command.error(`error: the URL of an endpoint is not possible. ${mistake}.`)
  return new URL(text).href
}

const isEventType = (text: string): text is FileEventType => (fileEventTypes as ReadonlyArray<string>).includes(text)

/** `uploaded,deleted`, or `all`. */
const parseEvents = (text: string): ReadonlyArray<FileEventType> => {
  if (text === "all") return fileEventTypes
  const given = text.split(",").map((each) => each.trim())
  const wrong = given.find((each) => !isEventType(each))
  if (wrong !== undefined) {
    throw new InvalidArgumentError(
      `There is no event ${JSON.stringify(wrong)}. Events: ${fileEventTypes.join(", ")}; or all.`,
    )
  }
  return fileEventTypes.filter((type) => given.includes(type))
}

const eventsOption = (): Option =>
  new Option("--events <events>", `what it hears of: all, or some of ${fileEventTypes.join(", ")}`).argParser(
    parseEvents,
  )

const createVerb = (name: string): Command => addDeployment(new Command(name)).addOption(jsonOption())

const createListCommand = (): Command =>
  createVerb("list")
    .summary("list them")
    .description("Lists the endpoints of all apps, or of one.")
    .option("--app <id>", "only this app's")
    .addHelpText("before", "Example:\n  $ sluice endpoints list\n")
    .action(async (options: JsonOption & { app?: string }, command: Command) => {
      const { runEndpointsList } = await import("./run-endpoints.ts")
      await runEndpointsList(await resolveDeployment(command), options)
    })

const createAddCommand = (): Command =>
  createVerb("add")
    .summary("make one, and print its secret")
    .description("Makes an endpoint, and prints the secret that its receiver verifies with. It is shown only here.")
    .argument("<url>", "where events are posted")
    .addOption(eventsOption().makeOptionMandatory())
    .option("--app <id>", "whose files; needed where there are several apps")
    .addHelpText("before", "Example:\n  $ sluice endpoints add https://search.example/hook --events uploaded,deleted\n")
    .action(
      async (
        url: string,
        options: JsonOption & { app?: string; events: ReadonlyArray<FileEventType> },
        command: Command,
      ) => {
        const { runEndpointsAdd } = await import("./run-endpoints.ts")
        await runEndpointsAdd(command, await resolveDeployment(command), parseUrl(command, url), options)
      },
    )

const createChangeCommand = (): Command =>
  createVerb("change")
    .summary("change where one is, or what it hears of")
    .description("Changes where an endpoint is, or what it hears of. What it is owed goes to the new address as well.")
    .argument("<id>", "id of the endpoint (ep_…)")
    .addOption(new Option("--url <url>", "where events are posted"))
    .addOption(eventsOption())
    .addHelpText("before", "Example:\n  $ sluice endpoints change ep_0123456789ab --events all\n")
    .action(
      async (
        id: string,
        options: JsonOption & { url?: string; events?: ReadonlyArray<FileEventType> },
        command: Command,
      ) => {
        if (options.url === undefined && options.events === undefined) {
          command.error("error: say what to change: --url or --events")
        }
        const { runEndpointsChange } = await import("./run-endpoints.ts")
        const changes = options.url === undefined ? options : { ...options, url: parseUrl(command, options.url) }
        await runEndpointsChange(await resolveDeployment(command), id, changes)
      },
    )

const createRemoveCommand = (): Command =>
  createVerb("remove")
    .summary("remove one, and forget what it was owed")
    .description("Removes an endpoint. Nothing more is sent to it, and what it was owed is forgotten.")
    .argument("<id>", "id of the endpoint (ep_…)")
    .addHelpText("before", "Example:\n  $ sluice endpoints remove ep_0123456789ab\n")
    .action(async (id: string, options: JsonOption, command: Command) => {
      const { runEndpointsRemove } = await import("./run-endpoints.ts")
      await runEndpointsRemove(await resolveDeployment(command), id, options)
    })

const createRotateCommand = (): Command =>
  createVerb("rotate")
    .summary("make a second secret, and print it")
    .description(
      "Makes a second secret beside the one in use, and prints it. Every event is signed with both until one is revoked.",
    )
    .argument("<id>", "id of the endpoint (ep_…)")
    .addHelpText("before", "Example:\n  $ sluice endpoints rotate ep_0123456789ab\n")
    .action(async (id: string, options: JsonOption, command: Command) => {
      const { runEndpointsRotate } = await import("./run-secrets.ts")
      await runEndpointsRotate(await resolveDeployment(command), id, options)
    })

const createRevokeCommand = (): Command =>
  createVerb("revoke")
    .summary("end a secret for good")
    .description("Ends a secret for good, once its receiver verifies with the other one.")
    .argument("<id>", "id of the endpoint (ep_…)")
    .argument("<secret>", "id of the secret (sec_…), as `sluice endpoints list --json` has it")
    .addHelpText("before", "Example:\n  $ sluice endpoints revoke ep_0123456789ab sec_0123456789ab\n")
    .action(async (id: string, secret: string, options: JsonOption, command: Command) => {
      // The text that was given instead may be the secret, so it is not repeated.
      if (!/^sec_[\da-f]{12}$/.test(secret)) {
        command.error("error: expected the id of a secret (sec_ and 12 characters), not the secret itself")
      }
      const { runEndpointsRevoke } = await import("./run-secrets.ts")
      await runEndpointsRevoke(await resolveDeployment(command), id, secret, options)
    })

const createTestCommand = (): Command =>
  createVerb("test")
    .summary("send one a test, and say what it answers")
    .description("Sends an endpoint.test by the running ingest, and says what the endpoint answers.")
    .argument("<id>", "id of the endpoint (ep_…)")
    .addHelpText("before", "Example:\n  $ sluice endpoints test ep_0123456789ab\n")
    .action(async (id: string, options: JsonOption, command: Command) => {
      const { runEndpointsTest } = await import("./run-test.ts")
      await runEndpointsTest(await resolveDeployment(command), id, options)
    })

const statuses: ReadonlyArray<DeliveryStatus> = ["pending", "delivered", "dead"]

const createEventsCommand = (): Command =>
  addPageOptions(createVerb("events"))
    .summary("list what endpoints are owed, or show one event")
    .description(
      "Lists the events that endpoints are owed or have been sent, newest first; with an id, one with its attempts.",
    )
    .argument("[id]", "id of an endpoint (ep_…), or of one event (evt_…)")
    .addOption(new Option("--status <status>", "only these").choices(statuses))
    .addHelpText("before", "Example:\n  $ sluice endpoints events --status dead\n")
    .action(
      async (
        id: string | undefined,
        options: JsonOption & PageOptions & { status?: DeliveryStatus },
        command: Command,
      ) => {
        const { runEndpointsEvents } = await import("./run-events.ts")
        await runEndpointsEvents(await resolveDeployment(command), id, options)
      },
    )

const createRedeliverCommand = (): Command =>
  createVerb("redeliver")
    .summary("make events due now")
    .description("Makes events due now, whatever their state, and restarts their schedule.")
    .argument("[event...]", "ids of events (evt_…)")
    .option("--dead <endpoint>", "all of an endpoint (ep_…) that were given up")
    .addHelpText("before", "Example:\n  $ sluice endpoints redeliver --dead ep_0123456789ab\n")
    .action(async (ids: ReadonlyArray<string>, options: JsonOption & { dead?: string }, command: Command) => {
      if ((ids.length === 0) === (options.dead === undefined)) {
        command.error("error: name events, or say --dead and an endpoint for all of it that were given up")
      }
      const { runEndpointsRedeliver } = await import("./run-events.ts")
      await runEndpointsRedeliver(await resolveDeployment(command), ids, options)
    })

/** `sluice endpoints [list|add|change|remove|rotate|revoke|test|events|redeliver]`. */
export const createEndpointsCommand = (): Command =>
  addDefaultVerb(
    new Command("endpoints")
      .summary("who else hears what becomes of an app's files")
      .description(
        "The endpoints of apps: addresses that hear what becomes of files, beside the routes' callbacks. " +
          "Works on the data folder, whether an ingest runs on it or not.",
      ),
    createListCommand(),
  )
    .addCommand(createAddCommand())
    .addCommand(createChangeCommand())
    .addCommand(createRemoveCommand())
    .addCommand(createRotateCommand())
    .addCommand(createRevokeCommand())
    .addCommand(createTestCommand())
    .addCommand(createEventsCommand())
    .addCommand(createRedeliverCommand())
    .addHelpText(
      "before",
      `Example:
  $ sluice endpoints add https://search.example/hook --events uploaded,deleted
  $ sluice endpoints test ep_0123456789ab
`,
    )
