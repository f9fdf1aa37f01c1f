import type { ByteSize } from "../byte-size.ts"
import type { FileCategory, MediaType } from "./media-type.ts"
import type { Acl, CacheRule, ContentDisposition } from "../signing/signed-url.ts"

/** Limits for one kind of file, as they are written in a route. Everything has a default. */
export interface FileLimitsInput {
  /** Per file: `"4MB"`, binary units, or bytes. Default by category: image 4MB, video 16MB, audio 8MB, pdf 4MB, text 64KB, others 8MB. */
  readonly maxFileSize?: ByteSize | number | undefined
  /** Default 1. */
  readonly maxFileCount?: number | undefined
  /** Default 1. */
  readonly minFileCount?: number | undefined
  /**
   * Default `inline`, except for HTML, XML and SVG, which browsers turn into pages: those are `attachment` unless this
   * says `inline`.
   */
  readonly contentDisposition?: ContentDisposition | undefined
  /** Default: the app's, set at the ingest. */
  readonly acl?: Acl | undefined
  /**
   * `immutable`: browsers and CDNs keep the file for a year and ask nobody, if anybody may read it. Then a deletion, a rename
   * or another ACL does not reach their copies. Default: the ingest's, which is `revalidate` unless its operator says otherwise.
   */
  readonly cache?: CacheRule | undefined
  /**
   * The noun with which components name one such file: `"CAD drawing"`. At most 40 characters. The default depends on
   * the type: `application/zip` is a `ZIP archive`.
   */
  readonly noun?: string | undefined
}

/** Which files a route takes: `{ image: { maxFileSize: "4MB" } }`, or only the kinds: `["image", "application/zip"]`. */
export type RouteConfigInput =
  | { readonly [kind in FileCategory | MediaType]?: FileLimitsInput | undefined }
  | ReadonlyArray<FileCategory | MediaType>

/** Limits for one kind of file with every default filled in. */
export interface FileLimits {
  readonly maxFileSize: ByteSize
  readonly maxFileCount: number
  readonly minFileCount: number
  readonly contentDisposition: ContentDisposition
  readonly acl?: Acl
  /** The noun for one such file: from the route, otherwise in English by the media type. Absent for categories such as `image`. */
  readonly noun?: string
}

/** A route's configuration in the answer to the handler's GET. Source: docs/protocol.md §5. */
export type RouteConfig = { readonly [kind in FileCategory | MediaType]?: FileLimits }
