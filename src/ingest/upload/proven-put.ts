import type { UploadGrant } from "../../protocol/signed-url.ts"
import type { App } from "../apps.ts"

/** A PUT whose URL was proven. */
export interface ProvenPut {
  readonly request: Request
  readonly app: App
  readonly grant: UploadGrant
  /** Where the body says it begins. */
  readonly start: number
  /** How many bytes of the file the body says it brings, at least. */
  readonly announced: number
  readonly origin: string
}
