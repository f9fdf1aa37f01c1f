import type { Incoming } from "../../http/incoming.ts"
import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import type { FileLabels } from "../../protocol/files/file-labels.ts"
import type { App } from "../access/apps.ts"
import type { NewRegistration } from "../storage/catalog/catalog.ts"

/** An upload whose URL was verified. */
export interface ProvenUpload {
  readonly app: App
  readonly grant: UploadGrant
  /** What the app wants for the upload, where its URL says so. */
  readonly registration: NewRegistration | undefined
  /** What the app says of the file for itself. */
  readonly labels: FileLabels
  readonly origin: string
}

/** A PUT whose URL was verified. */
export interface ProvenPut extends ProvenUpload {
  readonly request: Incoming
  /** Where the body claims to begin. */
  readonly start: number
  /** How many bytes of the file the body claims to bring, at least. */
  readonly announced: number
}
