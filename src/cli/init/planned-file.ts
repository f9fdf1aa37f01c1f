import type { Template } from "./framework.ts"

/** A file of the plan; one that exists, with this or another extension, is left alone. */
export interface PlannedFile extends Template {
  /** The existing file, relative to the project. */
  readonly existing?: string | undefined
}

/** An existing file that gets additional lines. Texts are whole files, byte for byte. */
export interface PlannedEdit {
  /** Relative to the project, with `/`. */
  readonly path: string
  readonly before: string
  readonly after: string
}
