import type { FileRecord } from "../../ingest.ts"
import { invalidCursor } from "./page-options.ts"

/** Where a page of files begins: behind this file. */
export interface FileCursor {
  readonly id: number
  /** Of a listing in the order of paths. */
  readonly path?: string
}

/** The cursor of a page in the order of paths, as the REST API writes it: `41.YWxidW1zL2EuanBn`. */
export const toPathCursor = ({ id, path }: Pick<FileRecord, "id" | "path">): string =>
  `${id}.${Buffer.from(path ?? "").toString("base64url")}`

/** Reads a cursor of either order. Fails: throws an `InvalidArgumentError`. */
export const parseFileCursor = (text: string): FileCursor => {
  const [, id, path] = /^(\d{1,15})(?:\.([\w-]{0,1400}))?$/.exec(text) ?? []
  if (id === undefined) throw invalidCursor()
  return { id: Number(id), ...(path !== undefined && { path: Buffer.from(path, "base64url").toString() }) }
}
