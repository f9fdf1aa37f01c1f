import { checkOptions } from "./check-options.ts"
import { detailFields, type UploadDetails } from "./upload-source.ts"

/** What a {@link SluiceFile} is told beside its bytes and its name. */
export interface SluiceFileOptions extends UploadDetails {
  /** Media type; looked up by the name's extension unless given. */
  readonly type?: string | undefined
  /** ms since the epoch; now unless given. */
  readonly lastModified?: number | undefined
}

const optionNames = [...detailFields, "type", "lastModified"] as const satisfies ReadonlyArray<keyof SluiceFileOptions>

/**
 * A `File` made of bytes, texts and Blobs, with the app's own id for it.
 *
 * `new SluiceFile([JSON.stringify(report)], "report.json", { customId: "report-7" })`
 */
export class SluiceFile extends File {
  readonly customId: string | undefined
  readonly contentDisposition: UploadDetails["contentDisposition"]
  readonly acl: UploadDetails["acl"]

  constructor(
    parts: ReadonlyArray<string | ArrayBuffer | ArrayBufferView<ArrayBuffer> | Blob>,
    name: string,
    options: SluiceFileOptions = {},
  ) {
    checkOptions("The options of SluiceFile", options, optionNames)
    const { type = "", lastModified = Date.now() } = options
    super([...parts], name, { type, lastModified })
    this.customId = options.customId
    this.contentDisposition = options.contentDisposition
    this.acl = options.acl
  }
}
