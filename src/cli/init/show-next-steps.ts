import { styleText } from "node:util"
import type { Framework } from "./framework.ts"
import type { Plan, PlannedFile } from "./plan.ts"
import type { Project } from "./read-project.ts"

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, "     ")

const toDevStep = ({ devScript }: Plan, { packageManager }: Project): string => {
  switch (devScript.action) {
    case "changed":
    case "kept":
      return `${packageManager.run} dev`
    case "missing":
      return `Start development with: sluice dev -- <what starts your server>\n${indent("package.json has no script dev to put that into.")}`
    case "refused":
      return `package.json stays as it is: ${devScript.reason}`
  }
}

const toClientStep = ({ path, text }: PlannedFile): string =>
  text.includes("UploadButton")
    ? `Put <UploadButton endpoint="avatar" /> of ${path} on a page, and import "sluice/styles.css".`
    : `Upload from a page: uploadFiles("avatar", { files }) of ${path}.`

/** Says what is left to people, in the order they do it. */
export const showNextSteps = (plan: Plan, project: Project, framework: Framework): void => {
  const { packages, packageManager } = project
  const [router, client] = [plan.files.at(0)!, plan.files.at(-1)!]
  const steps = [
    ...(packages.has("sluice")
      ? []
      : [`${packageManager.install}${packageManager.install.endsWith(":") ? "" : " "}sluice`]),
    ...(plan.mount === undefined ? [] : [`Add to ${plan.mount.file}:\n\n${indent(plan.mount.code)}\n`]),
    ...(router.existing === undefined
      ? [`Say who may upload, in the middleware of ${router.path}: as it stands, anybody may.`]
      : []),
    ...(client.existing === undefined ? [toClientStep(client)] : []),
    toDevStep(plan, project),
  ]
  console.log(`\n${styleText("bold", "Next")}`)
  for (const [index, step] of steps.entries()) console.log(`  ${index + 1}. ${step}`)
  console.log(styleText("dim", `\n  More: docs/frameworks/${framework.name}.md`))
}
