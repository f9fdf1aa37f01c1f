import type { Project } from "./read-project.ts"

/** Whose components the page is made with; `client`: none, the uploader alone. */
export type Library = "react" | "vue" | "svelte" | "solid" | "client"

/** A file as it is for TypeScript; {@link toJavaScript} makes the other one of it. */
export interface Template {
  /** Relative to the project, with `/`. */
  readonly path: string
  readonly text: string
}

/** Where things go in a project. */
export interface Layout {
  readonly files: ReadonlyArray<Template>
  /** What people have to write themselves, into a file of theirs. */
  readonly mount?: { readonly file: string; readonly code: string } | undefined
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
  readonly layout: (project: Project) => Layout
}
