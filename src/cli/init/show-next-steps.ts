import { styleText } from "node:util"
import { docsPage } from "./agents.ts"
import type { Framework } from "./framework.ts"
import { toNextSteps } from "./next-steps.ts"
import type { Plan } from "./plan.ts"
import type { Project } from "./read-project.ts"

/** Prints the remaining steps for the user. */
export const showNextSteps = (plan: Plan, project: Project, framework: Framework): void => {
  console.log(`\n${styleText("bold", "Next")}`)
  for (const [index, step] of toNextSteps(plan, project, framework).entries()) console.log(`  ${index + 1}. ${step}`)
  console.log(styleText("dim", `\n  More: ${docsPage(project, framework)}`))
}
