import { addDevScript, type DevScript } from "./add-dev-script.ts"
import type { Framework, Layout, Template } from "./framework.ts"
import { findTwin, type Project } from "./read-project.ts"
import { toJavaScript } from "./templates.ts"

/** A file of the plan; one that is there, under this or another ending, is left alone. */
export interface PlannedFile extends Template {
  /** What is there, relative to the project. */
  readonly existing?: string | undefined
}

/** What `sluice init` would do. */
export interface Plan {
  readonly files: ReadonlyArray<PlannedFile>
  readonly devScript: DevScript
  readonly mount: Layout["mount"]
}

/** Decides what is to be written into a project, and writes nothing. */
export const toPlan = (project: Project, framework: Framework): Plan => {
  const { files, mount } = framework.layout(project)
  return {
    files: files
      .map((file) => (project.isTypeScript ? file : toJavaScript(file)))
      .map((file) => ({ ...file, existing: findTwin(project, file.path) })),
    devScript: addDevScript(project),
    mount: mount && { ...mount, code: project.isTypeScript ? mount.code : mount.code.replace(/: Request\b/, "") },
  }
}
