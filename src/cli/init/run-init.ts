import { styleText } from "node:util"
import { CommandFailure, exitCodes } from "../command-failure.ts"
import { ask } from "../terminal/ask.ts"
import { detectFramework } from "./detect-framework.ts"
import type { Framework } from "./framework.ts"
import { frameworks } from "./frameworks.ts"
import { type Plan, toPlan } from "./plan.ts"
import { type Project, readProject } from "./read-project.ts"
import { dropDone, toNextSteps } from "./next-steps.ts"
import { showNextSteps } from "./show-next-steps.ts"
import { showPlan } from "./show-plan.ts"
import { findLinks } from "./targets.ts"
import { writePlan } from "./write-plan.ts"

/** The options of `sluice init`. */
export interface InitOptions {
  readonly framework?: string
  readonly dryRun?: true
  readonly yes?: true
  readonly json?: true
}

const isEmpty = ({ files, edits, devScript }: Plan): boolean =>
  edits.length === 0 && devScript.action !== "changed" && files.every(({ existing }) => existing !== undefined)

const toJson = (project: Project, framework: Framework, plan: Plan, isDryRun: boolean) => {
  const { files, edits, devScript, mount, markup } = plan
  return {
    framework: framework.name,
    language: project.isTypeScript ? "ts" : "js",
    packageManager: project.packageManager.name,
    isDryRun,
    files: files.map(({ path, existing }) => ({ path, isNew: existing === undefined, existing: existing ?? null })),
    edits: edits.map(({ path }) => ({ path })),
    devScript: { action: devScript.action, command: devScript.action === "changed" ? devScript.command : null },
    mount: mount === undefined ? null : { file: mount.file, code: mount.code },
    markup: markup ?? null,
    next: toNextSteps(plan, project, framework),
  }
}

/**
 * `sluice init`: read the project → find its framework → plan → show → ask → write → print the next steps.
 *
 * Fails: with a {@link CommandFailure} where there is no terminal to ask on and `--yes` is not given.
 */
export const runInit = async (folder: string, options: InitOptions): Promise<void> => {
  const { dryRun = false, yes = false, json = false } = options
  if (json && !dryRun && !yes) {
    throw new CommandFailure("--json asks nothing: add --yes to write, or --dry-run to only look.")
  }
  const project = readProject(folder)
  const framework = frameworks.find(({ name }) => name === options.framework) ?? detectFramework(project)
  const plan = dropDone(toPlan(project, framework), project)
  // Whatever the options are: nothing is shown that would be refused.
  findLinks(plan, project)
  if (json) {
    if (!dryRun) await writePlan(plan, project)
    console.log(JSON.stringify(toJson(project, framework, plan, dryRun)))
    return
  }

  const { title } = framework
  const language = project.isTypeScript ? "TypeScript" : "JavaScript"
  console.log(styleText("dim", `${title}, ${language}, ${project.packageManager.name}\n`))
  showPlan(plan, project)
  for (const { path, existing } of plan.files) {
    if (existing !== undefined)
      console.log(`${existing} is there${existing === path ? "" : ` (in the place of ${path})`} and is left as it is.`)
  }
  if (isEmpty(plan)) console.log("There is nothing to write.")
  else if (dryRun) console.log("Nothing was written: this was a dry run. Once it is written:")
  else {
    if (!yes) {
      if (!process.stdin.isTTY) {
        throw new CommandFailure("There is no terminal to ask on, so nothing was written. Add --yes to write this.")
      }
      if (!(await ask("Write this? [y/N] "))) {
        console.log("Nothing was written.")
        process.exitCode = exitCodes.failed
        return
      }
    }
    await writePlan(plan, project)
    console.log(styleText("green", "Written."))
  }
  showNextSteps(plan, project, framework)
}
