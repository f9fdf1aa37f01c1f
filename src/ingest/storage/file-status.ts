import type { FileStatus } from "../../protocol/rest-messages.ts"
import type { FileRecord } from "./catalog/records.ts"

/** The state of a file as apps and operators see it. Source: docs/protocol.md §10. */
export const toFileStatus = ({
  status,
  hold,
  claimBy,
}: Pick<FileRecord, "status" | "hold" | "claimBy">): FileStatus => {
  if (status !== "Uploaded") return status
  if (hold) return "Held"
  return claimBy === null ? "Uploaded" : "Pending"
}
