import { createNodeFetch } from "../http/node-fetch.ts"
import type { TypedFileRouter, UntypedFileRouter } from "../protocol/files/file-route.ts"
import { generateUploader as generate, type Uploader, type UploaderOptions } from "./generate-uploader.ts"

const fetchByNode = createNodeFetch()

/** {@link generate}, for Node: requests go over `node:http` unless a `fetch` was given or has replaced Node's own. */
export const generateUploader = <Router extends TypedFileRouter = UntypedFileRouter>(
  options: UploaderOptions = {},
): Uploader<Router> => generate({ ...options, fetch: options.fetch ?? fetchByNode })
