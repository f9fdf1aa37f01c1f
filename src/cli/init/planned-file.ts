import type { Template } from "./framework.ts"

/** A file of the plan; one that is there, under this or another ending, is left alone. */
export interface PlannedFile extends Template {
  /** What is there, relative to the project. */
  readonly existing?: string | undefined
}

/** A file that is there and gets some lines more. Texts are whole files, byte for byte. */
export interface PlannedEdit {
  /** Relative to the project, with `/`. */
  readonly path: string
  readonly before: string
  readonly after: string
}
