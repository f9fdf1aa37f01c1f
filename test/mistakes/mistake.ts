/** Who reads what a mistake leads to. */
export type Reader = "user" | "developer" | "operator"

/** An app as somebody wrote it who made a mistake. What is not given is right. */
export interface Written {
  /** Goes in front of everything in the app's server. */
  readonly prologue?: string
  /** What `createSluice()` made the route with: code. */
  readonly route?: string
  readonly middleware?: string
  readonly onUploadComplete?: string
  /** Argument of `createRouteHandler`: code. */
  readonly options?: string
  /** Mounts `uploads`: code. */
  readonly mount?: string
  /** Headers of the page. */
  readonly pageHeaders?: Readonly<Record<string, string>>
  /** Markup of the page's component. */
  readonly markup?: string
  readonly stylesheet?: false
}

/** Where things are while a mistake is made. */
export interface Scene {
  readonly appUrl: string
  readonly ingestUrl: string
  /** An address where nobody listens. */
  readonly deadUrl: string
  /** An address where a web server answers that is none of ours. */
  readonly otherUrl: string
  /** A proxy in front of the ingest. */
  readonly proxyUrl: string
  readonly data: string
  /** A token of another app of another ingest. */
  readonly otherToken: string
  readonly token: string
  /** Another page's address, whose uploads go to this app. */
  readonly pageUrl: string
}

/** How the servers are run. */
export interface Run {
  /** The app's environment; an empty value takes a variable away. */
  readonly env?: Readonly<Record<string, string>>
  /** Arguments of Node for the app. */
  readonly nodeArgs?: string
  /** Settings of the ingest. */
  readonly ingest?: string
  /** Runs the app alone in development, not behind `sluice dev`. */
  readonly withoutDev?: true
  /** Which page the browser opens; the app's own unless given. */
  readonly page?: string
  /** Done before the servers start. */
  readonly before?: (scene: Scene) => Promise<(() => Promise<void>) | void>
}

/** A mistake that newcomers make, and what must be read of it. */
export interface Mistake {
  readonly name: string
  readonly written?: Written | ((scene: Scene) => Written)
  readonly run?: (scene: Scene, stage: Stage) => Run
  /** What the user chooses: a small picture unless given. */
  readonly files?: ReadonlyArray<{ readonly name: string; readonly mimeType: string; readonly size?: number }>
  /** Where it can be made at all; both unless given. */
  readonly stages?: ReadonlyArray<Stage>
  /** Who can mend it, and so has to read both of these. */
  readonly reader: ReadonlyArray<Reader>
  readonly cause: RegExp
  readonly fix: RegExp
}

/** In development behind `sluice dev`; in production with an ingest of its own. */
export type Stage = "development" | "production"

/** What everybody reads of a mistake, as it was printed. */
export interface Readings {
  /** What the component says. */
  readonly component: string
  /** Warnings and errors of the browser's console. */
  readonly console: string
  /** The app's terminal; in development that of `sluice dev`, in which the ingest speaks too. */
  readonly app: string
  readonly ingest: string
  /** What `sluice doctor` says has failed, or warns of. */
  readonly doctor: string
}
