import type { FileCategory, MediaType } from "../../protocol/files/media-type.ts"
import type { FileLimits, RouteConfig } from "../../protocol/files/route-config.ts"

/** A kind of file that a route takes, and its limits. */
export interface AcceptedKind extends FileLimits {
  readonly kind: FileCategory | MediaType
}

/** The kinds of a route, in the order they were written. */
export const listKinds = (config: RouteConfig): ReadonlyArray<AcceptedKind> =>
  (Object.entries(config) as Array<[AcceptedKind["kind"], FileLimits]>).map(([kind, limits]) => ({ ...limits, kind }))

/** The `accept` attribute of a file input; empty where every file is accepted. */
export const toAccept = (config: RouteConfig): string => {
  const kinds = Object.keys(config)
  if (kinds.includes("blob")) return ""
  return kinds.map((kind) => (kind === "pdf" ? "application/pdf" : kind.includes("/") ? kind : `${kind}/*`)).join(",")
}

/** How many files one upload may have. */
export const maxFiles = (config: RouteConfig): number =>
  listKinds(config).reduce((sum, { maxFileCount }) => sum + maxFileCount, 0)

/** Whether one upload may have more than one file; false while the route is unknown. */
export const takesSeveral = (config: RouteConfig | undefined): boolean => config !== undefined && maxFiles(config) > 1
