import { checkOptions } from "./check-options.ts"
import { detailFields, type UploadDetails } from "./upload-source.ts"

/** Options of a {@link SluiceFile} in addition to its bytes and its name. */
export interface SluiceFileOptions extends UploadDetails {
  /** Media type; by default looked up by the name's extension. */
  readonly type?: string | undefined
  /** ms since the epoch; by default now. */
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
  readonly cache: UploadDetails["cache"]
  readonly labels: UploadDetails["labels"]

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
    this.cache = options.cache
    this.labels = options.labels
  }
}
