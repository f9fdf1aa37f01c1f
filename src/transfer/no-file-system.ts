import { UploadError } from "../protocol/errors/upload-error.ts"
import type { UploadableFile } from "./uploadable-file.ts"

/** How a file on a disk is described. */
export interface PathFileOptions {
  /** By default the path's last part. */
  readonly name?: string | undefined
  /** Media type; empty by default, and then looked up by the extension of the name. */
  readonly type?: string | undefined
}

/** Makes a file that can be uploaded from a path. */
export type FileFromPath = (path: string | URL, options?: PathFileOptions) => Promise<UploadableFile>

/** The error for a path where paths cannot be read. */
export const noFileSystem = (): UploadError =>
  new UploadError({
    code: "INVALID_CONFIG",
    message: "This runtime has no file system. Give a Blob or a stream.",
  })

/** Browsers and edge runtimes have no files to open. Fails: rejects with INVALID_CONFIG. */
export const fileFromPath: FileFromPath = () => Promise.reject(noFileSystem())
