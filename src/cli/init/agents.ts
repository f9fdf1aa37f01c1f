import { join } from "node:path"
import type { Framework } from "./framework.ts"
import type { PlannedEdit, PlannedFile } from "./planned-file.ts"
import type { Project } from "./read-project.ts"
import { readText } from "./read-text.ts"

/** Files that assistants read. The first existing one gets the lines, because the second often only points to it. */
const files = ["AGENTS.md", "CLAUDE.md"]

/** The page of docs for this framework, where the user can find it. */
export const docsPage = ({ home }: Project, { name }: Framework): string => `${home}/docs/frameworks/${name}.md`

/** Three lines for assistants, for an existing file of theirs that does not name Sluice yet; otherwise undefined. */
export const planAgents = (
  project: Project,
  framework: Framework,
  [first]: ReadonlyArray<PlannedFile>,
): PlannedEdit | undefined => {
  const { folder, has, home } = project
  const path = files.find(has)
  if (path === undefined || first === undefined) return undefined
  const before = readText(join(folder, path))
  if (before === undefined || /\bsluice\b/i.test(before)) return undefined
  const newline = before.includes("\r\n") ? "\r\n" : "\n"
  const start = before === "" || before.endsWith("\n") ? "" : newline
  const about = framework.isPageOnly ? "The page uploads with" : "Who may upload what, and what happens then, is in"
  const lines = [
    `- File uploads go through Sluice. Read ${docsPage(project, framework)} and ${home}/docs before you change them; do not guess its API.`,
    `- ${about} ${first.existing ?? first.path}. In development \`sluice dev\` runs the ingest beside the server.`,
    "- After a change to uploads run `npx sluice doctor --json` while the app runs: no check may be `failed`, and each `warning` says what it waits for.",
  ]
  return { path, before, after: `${before}${start}${newline}${lines.join(newline)}${newline}` }
}
