import type { FileStatus } from "../../protocol/rest-messages.ts"
import type { FileRecord } from "./catalog-records.ts"

/** The state of a file as apps and operators see it. Source: docs/protocol.md §10. */
export const toFileStatus = ({ status, claimBy }: Pick<FileRecord, "status" | "claimBy">): FileStatus =>
  status === "Uploaded" && claimBy !== null ? "Pending" : status
