import { fileFromStream, type StreamFileOptions } from "../transfer/file-from-stream.ts"
import type { UploadableFile } from "../transfer/uploadable-file.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import { checkDescription } from "./check-options.ts"
import { fileFields, pathFields, streamFields } from "./known-options.ts"
import { fileFromPath } from "../transfer/file-from-path.ts"
import { SluiceFile } from "./sluice-file.ts"
import { type PathInput, pickDetails, type UploadDetails, type UploadSource } from "./upload-source.ts"

/**
 * What the server API uploads: a `File` or `SluiceFile`, a `Blob` with a name (`Object.assign(blob, { name })`), a file
 * on the disk (`{ path }`), or a stream whose size is known (`{ stream, size, name }`).
 */
export type UploadInput = (UploadableFile & UploadDetails) | PathInput | (StreamFileOptions & UploadDetails)

const refuse = (message: string) => new UploadError({ code: "BAD_REQUEST", message })

const isObject = (input: unknown): input is Readonly<Record<string, unknown>> =>
  typeof input === "object" && input !== null

/** A Blob and a File have a method `stream`, too, but only they have a method `slice`. */
const isSliceable = (input: object): boolean => "slice" in input && typeof input.slice === "function"

/** The size, where it is known before the file is opened. */
export const sizeOf = (input: UploadInput): number | undefined =>
  isObject(input) && "size" in input && Number.isSafeInteger(input.size) ? (input.size as number) : undefined

const fromSliceable = (file: UploadableFile & UploadDetails): UploadSource => {
  checkDescription(file, fileFields, [Object, Blob, File, SluiceFile])
  const { name, size, type, lastModified } = file
  if (typeof name !== "string") {
    throw refuse('A Blob has no name. Give one: `new SluiceFile([blob], "photo.jpg")`.')
  }
  // A File's methods would be lost in a copy.
  const slice = (start: number) => file.slice(start)
  return { name, size, type, lastModified, ...pickDetails(file), slice }
}

/**
 * Opens an input.
 *
 * Fails: rejects with an UploadError that says what is missing, code BAD_REQUEST; and as {@link fileFromPath} does.
 */
export const openInput = async (input: UploadInput): Promise<UploadSource> => {
  if (isObject(input)) {
    if (input instanceof ReadableStream) {
      throw refuse(
        "A bare stream has no size, and a signed URL names it. Give `{ stream: () => stream, size, name }`, size in bytes.",
      )
    }
    if (isSliceable(input) && !ArrayBuffer.isView(input)) return fromSliceable(input as UploadableFile & UploadDetails)
    if ("path" in input && (typeof input.path === "string" || input.path instanceof URL)) {
      checkDescription(input, pathFields)
      const { path, name, type, ...details } = input as unknown as PathInput
      return { ...(await fileFromPath(path, { name, type })), ...pickDetails(details) }
    }
    if ("stream" in input && typeof input.stream === "function") {
      checkDescription(input, streamFields)
      const file = input as unknown as StreamFileOptions
      if (typeof file.size !== "number") {
        throw refuse(
          `The stream of ${JSON.stringify(file.name)} has no size, and a signed URL names it. Add \`size\`, in bytes.`,
        )
      }
      return { ...fileFromStream(file), ...pickDetails(input) }
    }
  }
  throw refuse(
    `${typeof input === "string" ? "A string" : ArrayBuffer.isView(input) ? "An array of bytes" : "This"} is not a file. Give a File, a SluiceFile made of it, { path } or { stream, size, name }.`,
  )
}
