import type { Project } from "./read-project.ts"

/** A file for TypeScript; {@link toJavaScript} turns it into one for JavaScript. */
export interface Template {
  /** Relative to the project, with `/`. */
  readonly path: string
  readonly text: string
}

/** Lines for one of the user's own files. */
export interface Mount {
  readonly file: string
  readonly code: string
  /** A whole file, for projects that do not have it. */
  readonly whole?: string
}

/** The files of a framework's plan. */
export interface Layout {
  readonly files: ReadonlyArray<Template>
  /** Lines that users have to add to a file of their own. */
  readonly mount?: Mount | undefined
  /** If no file of the plan is the page's side: markup for a page that no bundler makes. */
  readonly markup?: string | undefined
}

/** Where a framework's Vite is configured. */
export interface ViteConfig {
  /** The name of the file without the extension. */
  readonly file: string
  /** The function that its default export calls with an object. */
  readonly call: string
  /** The property of that object which is Vite's; the object itself where there is none. */
  readonly property?: string
}

/** A web framework that `sluice init` supports. Its page is docs/frameworks/<name>.md. */
export interface Framework {
  /** The value of `--framework`. */
  readonly name: string
  /** Its name for people. */
  readonly title: string
  /** The entry point of the package: `sluice/<door>`. */
  readonly door: string
  /** A project with this framework has one of these packages. */
  readonly packages: ReadonlyArray<string>
  /**
   * The name of its configuration file without the extension; it identifies the framework where the package is only in
   * a workspace's root.
   */
  readonly config?: string
  /** It makes the pages too, so it wins over a server's framework in the same project. */
  readonly hasPages: boolean
  /** Tells it from another framework with the same package. */
  readonly isUsedIn?: (project: Project) => boolean
  /** Its Vite finds what pages import while they load, not before: the configuration is told of the package. */
  readonly findsLate?: ViteConfig
  /** It only makes pages: the server with the routes is elsewhere. */
  readonly isPageOnly?: true
  /**
   * Files, the best first, that a page's styles are imported in where the bundler loses those of a script that both a page and its
   * components import.
   */
  readonly stylesIn?: ReadonlyArray<string>
  readonly layout: (project: Project) => Layout
}
