import { Command } from "commander"
import { jsonOption } from "../terminal/json-option.ts"
import { addDeployment, resolveDeployment } from "../deployment/deployment.ts"

/** `sluice explain`. */
export const createExplainCommand = (): Command =>
  addDeployment(new Command("explain"))
    .summary("the timeline of one upload")
    .description("Tells what became of one upload, and when: begun, stored, registered, told to the app, answered.")
    .argument("<key>", "key or custom id of the file, or id of its event (evt_…)")
    .addOption(jsonOption())
    .addHelpText("before", "Example:\n  $ sluice explain invoice-2026-11\n")
    .action(async (key: string, options: { json?: true }, command: Command) => {
      const deployment = await resolveDeployment(command)
      const { runExplain } = await import("./run-explain.ts")
      await runExplain(deployment, key, options)
    })
