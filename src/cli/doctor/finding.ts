import { type ProblemCode, UploadError } from "../../protocol.ts"

/** What one check of `sluice doctor` came to. */
export interface Finding {
  readonly check: string
  readonly status: "ok" | "warning" | "failed"
  /** What was found. May hold text of others. */
  readonly message: string
  /** What to do about it; null where nothing is to be done. */
  readonly advice: string | null
  /** Where the package says more of it: a path from the app's folder, and the heading; null where nothing is to be done. */
  readonly help: string | null
}

/** Headings as GitHub makes anchors of them. */
const toAnchor = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^a-z\d _-]/g, "")
    .replaceAll(" ", "-")

const toHelp = (code: ProblemCode): string => new UploadError({ code, message: "" }).help

/** On the page that codes are explained on, too. */
const helpOf = (check: string): string => toHelp("INVALID_CONFIG").replace(/#.*/, `#${toAnchor(`Doctor: ${check}`)}`)

export const ok = (check: string, message: string): Finding => ({
  check,
  status: "ok",
  message,
  advice: null,
  help: null,
})

/** Done as it should be, and yet somebody should know; or something could not be looked at. */
export const warning = (check: string, message: string, advice: string): Finding => ({
  check,
  status: "warning",
  message,
  advice,
  help: helpOf(check),
})

/** @param code where that says more than the check */
export const failed = (check: string, message: string, advice: string, code?: ProblemCode): Finding => ({
  check,
  status: "failed",
  message,
  advice,
  help: code === undefined ? helpOf(check) : toHelp(code),
})
