import type { Project } from "./read-project.ts"

/** A file as it is for TypeScript; {@link toJavaScript} makes the other one of it. */
export interface Template {
  /** Relative to the project, with `/`. */
  readonly path: string
  readonly text: string
}

/** Lines for a file of the user's. */
export interface Mount {
  readonly file: string
  readonly code: string
  /** Where that file is not there: a whole one. */
  readonly whole?: string
}

/** Where things go in a project. */
export interface Layout {
  readonly files: ReadonlyArray<Template>
  /** What people have to write themselves, into a file of theirs. */
  readonly mount?: Mount | undefined
  /** Where no file of the plan is the page's side: what goes into a page, which no bundler makes. */
  readonly markup?: string | undefined
}

/** A web framework, as `sluice init` knows it. Its page is docs/frameworks/<name>.md. */
export interface Framework {
  /** What `--framework` takes. */
  readonly name: string
  /** What people call it. */
  readonly title: string
  /** The door of the package: `sluice/<door>`. */
  readonly door: string
  /** Packages one of which a project has, or is without this framework. */
  readonly packages: ReadonlyArray<string>
  /** Its configuration's file without the ending: known by that where the package is of a workspace's root. */
  readonly config?: string
  /** It makes the pages too: it wins over a server's framework beside it. */
  readonly hasPages: boolean
  /** Tells it from another one of the same package. */
  readonly isUsedIn?: (project: Project) => boolean
  /** It makes pages only: the server with the routes is somewhere else. */
  readonly isPageOnly?: true
  readonly layout: (project: Project) => Layout
}
