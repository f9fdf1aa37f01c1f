import { type ProblemCode, UploadError } from "../../protocol.ts"

/** The result of one check of `sluice doctor`. */
export interface Finding {
  readonly check: string
  readonly status: "ok" | "warning" | "failed"
  /** What was found. May contain text from other servers. */
  readonly message: string
  /** What to do about it; null where there is nothing to do. */
  readonly advice: string | null
  /** Where the package explains it: a path from the app's folder, and the heading; null where there is nothing to do. */
  readonly help: string | null
}

/** Headings in the form of GitHub's anchors. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z\d _-]/g, "")
    .replaceAll(" ", "-")

const toHelp = (code: ProblemCode): string => new UploadError({ code, message: "" }).help

/** On the same page as the codes. */
const helpOf = (check: string): string => toHelp("INVALID_CONFIG").replace(/#.*/, `#${toAnchor(`Doctor: ${check}`)}`)

export const ok = (check: string, message: string): Finding => ({
  check,
  status: "ok",
  message,
  advice: null,
  help: null,
})

/** It works, but the user should know something; or something could not be checked. */
export const warning = (check: string, message: string, advice: string): Finding => ({
  check,
  status: "warning",
  message,
  advice,
  help: helpOf(check),
})

/** @param code where it says more than the check */
export const failed = (check: string, message: string, advice: string, code?: ProblemCode): Finding => ({
  check,
  status: "failed",
  message,
  advice,
  help: code === undefined ? helpOf(check) : toHelp(code),
})
