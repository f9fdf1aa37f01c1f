import type { FileRouter, RouteBuilder } from "../../src/server.ts"
import { keepUpload } from "./kept-uploads.ts"

/**
 * The file routes of every framework's application.
 *
 * @param f the framework's own builder
 * @param readGuest who asks, read from the framework's own request; throws an `UploadError` for a stranger
 */
export const createRoutes = <Native extends object>(
  f: RouteBuilder<Native, undefined>,
  readGuest: (native: Native) => string,
) =>
  ({
    avatar: f({ image: { maxFileSize: "8MB", maxFileCount: 1 } })
      .middleware((args) => ({ guest: readGuest(args) }))
      .onUploadComplete(({ metadata, file }) => keepUpload(metadata.guest, "avatar", file)),

    files: f({ blob: { maxFileSize: "16GB", maxFileCount: 50 } }, { presignedUrlTtl: "6 hours" })
      .middleware((args) => ({ guest: readGuest(args) }))
      .onUploadComplete(({ metadata, file }) => keepUpload(metadata.guest, "files", file)),

    document: f({ blob: { maxFileSize: "64MB", maxFileCount: 1, acl: "private" } })
      .middleware((args) => ({ guest: readGuest(args) }))
      .onUploadComplete(({ metadata, file }) => keepUpload(metadata.guest, "document", file)),
  }) satisfies FileRouter<Native>

/** What the pages need to know of them. */
export type Routes = ReturnType<typeof createRoutes<object>>
