import { Command } from "commander"
import { addDefaultVerb } from "../terminal/help.ts"
import { jsonOption } from "../terminal/json-option.ts"
import { addDeployment, resolveDeployment } from "../deployment/deployment.ts"
import { addOutOptions, ingestUrlOption, type PlaceOptions } from "./apps-command.ts"

const createListCommand = (): Command =>
  addDeployment(new Command("list"))
    .description("Lists the keys of an app by their ids, the newest first; never a secret.")
    .argument("<app>", "id of the app")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice keys list acme\n")
    .action(async (app: string, options: { json?: true }, command: Command) => {
      const deployment = await resolveDeployment(command)
      const { runKeysList } = await import("./run-keys.ts")
      await runKeysList(deployment, app, options)
    })

const createCreateCommand = (): Command =>
  addOutOptions(addDeployment(new Command("create")))
    .description(
      "Makes a second key next to the one in use. Standard output gets the new token and nothing else. " +
        "Refused when two keys are active.",
    )
    .argument("<app>", "id of the app")
    .addOption(ingestUrlOption())
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice keys create acme --out acme.token\n")
    .action(async (app: string, options: PlaceOptions, command: Command) => {
      const deployment = await resolveDeployment(command)
      const { runKeysCreate } = await import("./run-keys.ts")
      await runKeysCreate(deployment, options, app)
    })

const createRevokeCommand = (): Command =>
  addDeployment(new Command("revoke"))
    .description(
      "Ends a key for good. A running ingest refuses it within about a second. If the data folder's own token holds " +
        "it, that token gets the remaining key.",
    )
    .argument("<app>", "id of the app")
    .argument("<key>", "id of the key (key_…); `sluice token explain` says which one a token holds")
    .option("--last", "even if no other key is active: then nothing of the app works until it has a new one")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice keys revoke acme key_0123456789ab\n")
    .action(async (app: string, key: string, options: { last?: true; json?: true }, command: Command) => {
      // The text that was given instead may be the secret, so it is not repeated.
      if (!/^key_[\da-f]{12}$/.test(key)) {
        command.error(
          "error: expected the id of a key (key_ and 12 characters) as `sluice keys <app>` lists it; " +
            "`sluice token explain` says which one a token holds",
        )
      }
      const deployment = await resolveDeployment(command)
      const { runKeysRevoke } = await import("./run-keys-revoke.ts")
      await runKeysRevoke(deployment, app, key, options)
    })

/** `sluice keys [list|create|revoke]`. */
export const createKeysCommand = (): Command =>
  addDefaultVerb(
    new Command("keys")
      .summary("list, make or revoke the keys of an app")
      .description(
        "The API keys of an app. Two may be active: the one in use, and the one that takes its place. " +
          "Works on the data folder, whether an ingest runs on it or not.",
      ),
    createListCommand(),
  )
    .addCommand(createCreateCommand())
    .addCommand(createRevokeCommand())
    .addHelpText(
      "before",
      `To replace a key while everything runs:
  $ sluice keys create acme --out new.token
  (give the new token to all servers of the app)
  $ sluice keys revoke acme key_0123456789ab
`,
    )
