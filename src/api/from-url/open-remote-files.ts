import { checkDescription } from "../check-options.ts"
import { remoteFields } from "./from-url-options.ts"
import type { UploadSource } from "../upload-source.ts"
import { type FromUrlOptions, readFromUrlOptions, type RemoteFile } from "./from-url-options.ts"
import { openRemoteFile } from "./open-remote-file.ts"

/**
 * Makes the openers of several files, all with the same options.
 *
 * Fails: throws INVALID_CONFIG for invalid options.
 */
export const openRemoteFiles = (
  files: ReadonlyArray<string | URL | RemoteFile>,
  options: FromUrlOptions | undefined,
): ReadonlyArray<() => Promise<UploadSource>> => {
  const settings = readFromUrlOptions(options)
  return files.map((file) => async () => {
    if (typeof file === "string" || file instanceof URL) return openRemoteFile({ url: file }, settings)
    checkDescription(file, remoteFields)
    return openRemoteFile(file, settings)
  })
}
