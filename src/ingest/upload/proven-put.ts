import type { UploadGrant } from "../../protocol/signed-url.ts"
import type { App } from "../apps.ts"

/** A PUT whose URL was verified. */
export interface ProvenPut {
  readonly request: Request
  readonly app: App
  readonly grant: UploadGrant
  /** Where the body claims to begin. */
  readonly start: number
  /** How many bytes of the file the body claims to bring, at least. */
  readonly announced: number
  readonly origin: string
}
