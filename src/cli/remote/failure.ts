import { UploadError } from "../../protocol.ts"
import { CommandFailure } from "../command-failure.ts"

/** Why something failed, as `--json` has it. */
export interface Failure {
  /** A code of docs/troubleshooting.md. */
  readonly code: string
  readonly message: string
}

/** Describes an error of the server API. Fails: throws any other error, which is a bug of ours. */
export const toFailure = (error: unknown): Failure => {
  if (!UploadError.is(error)) throw error
  return { code: error.code, message: error.message }
}

/** Makes one line for the user of an error of the server API. Fails: throws any other error, which is a bug of ours. */
export const toCommandFailure = (error: unknown): CommandFailure => new CommandFailure(toFailure(error).message)
