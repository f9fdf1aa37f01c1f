import { addDevScript, type DevScript } from "./add-dev-script.ts"
import { planAgents } from "./agents.ts"
import type { Framework, Layout } from "./framework.ts"
import { planOptimizer } from "./optimizer.ts"
import type { PlannedEdit, PlannedFile } from "./planned-file.ts"
import { findTwin, type Project } from "./read-project.ts"
import { planStylesheet } from "./stylesheet.ts"
import { toJavaScript } from "./templates.ts"

/** What `sluice init` would do. */
export interface Plan {
  readonly files: ReadonlyArray<PlannedFile>
  readonly edits: ReadonlyArray<PlannedEdit>
  readonly devScript: DevScript
  readonly mount: Layout["mount"]
  readonly markup: Layout["markup"]
}

/** Plugins that let Vite itself run the server. */
const serverPlugins = ["@hono/vite-dev-server", "vite-plugin-node", "nitro", "@cloudflare/vite-plugin"]

const toDevScript = (project: Project, framework: Framework): DevScript => {
  if (framework.isPageOnly) return { action: "elsewhere" }
  const script = project.scripts["dev"]
  const isVite =
    typeof script === "string" &&
    /^\s*(?:[A-Za-z_]\w*=\S*\s+)*(?:npx\s+)?vite(?:\s+(?:dev|serve|--?\w\S*)|\s*$)/.test(script)
  return isVite &&
    project.hasVitePage &&
    !framework.hasPages &&
    !serverPlugins.some((name) => project.packages.has(name))
    ? { action: "page" }
    : addDevScript(project)
}

/** Decides what to write into a project, and writes nothing. */
export const toPlan = (project: Project, framework: Framework): Plan => {
  const { files: templates, mount, markup } = framework.layout(project)
  const { files, edit: stylesheet } = planStylesheet(project, templates, framework)
  const planned = files
    .map((file) => (project.isTypeScript ? file : toJavaScript(file)))
    .map((file) => ({ ...file, existing: findTwin(project, file.path) }))
  const agents = planAgents(project, framework, planned)
  return {
    files: planned,
    edits: [stylesheet, planOptimizer(project, framework), agents].filter((edit) => edit !== undefined),
    devScript: toDevScript(project, framework),
    markup,
    mount: mount && { ...mount, code: project.isTypeScript ? mount.code : mount.code.replace(/: Request\b/, "") },
  }
}
