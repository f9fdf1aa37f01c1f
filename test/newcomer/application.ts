import type { Browser } from "playwright-core"
import type { Advice } from "./follow-init.ts"
import type { Place } from "./shell.ts"

/** A command line, where it is run, and what is in its environment. */
export interface Command extends Place {
  readonly line: string
}

/** Where things are while an application is tried. */
export interface Site {
  /** The newcomer's own folder, empty at first. */
  readonly root: string
  /** The port that takes uploads and callbacks. */
  readonly appPort: number
  /** The port that a browser opens in development; that of the app where the app serves the page. */
  readonly pagePort: number
}

/** An application that runs as its users have it. */
export interface Production {
  readonly browser: Browser
  readonly origin: string
  /** Its ingest. */
  readonly ingest: string
  /** A `sluice` command with its arguments, on the data of that ingest. @returns what it printed */
  readonly ask: (line: string) => Promise<string>
}

/** A page of the docs that a newcomer follows once the first upload has worked. */
export interface Walk {
  /** The page of the docs. */
  readonly title: string
  /** Does what it says, before the application is built for production. */
  readonly follow: (site: Site) => Promise<void>
  /** What users do then, one after the other. A step fails with what is off. */
  readonly visit: (
    production: Production,
  ) => ReadonlyArray<{ readonly name: string; readonly act: () => Promise<void> }>
}

/** One way to begin with Sluice. */
export interface Application {
  readonly title: string
  /** Makes the app with its framework's generator, and downloads what that needs. */
  readonly generate: (site: Site) => Promise<void>
  /** The app itself says what is light and dark, and says it anew whenever something else has: it is looked at as it is. */
  readonly hasOwnTheme?: boolean
  /** What its framework complains of without Sluice as well, as it is generated. */
  readonly ownComplaint?: RegExp | undefined
  /** What its framework lays over the page in development, as a selector: it is hidden. */
  readonly toolbar?: string | undefined
  /** Folders under the root into which the tarball is installed, and in which `sluice init` is run. */
  readonly folders: ReadonlyArray<string>
  /** Does what `init` leaves to people; it has spoken once per folder. */
  readonly edit: (site: Site, advice: ReadonlyArray<Advice>) => Promise<void>
  /** The development server that takes the callbacks and logs them, and others beside it. */
  readonly develop: (site: Site) => readonly [app: Command, ...others: ReadonlyArray<Command>]
  readonly build: (site: Site) => ReadonlyArray<Command>
  readonly serve: (site: Site) => Command
  /** Its own checks of types and style. */
  readonly checks: (site: Site) => ReadonlyArray<Command>
  readonly walk?: Walk
}
