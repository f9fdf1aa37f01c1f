import { moveFiles, renameFiles, updateACL, updateFiles } from "./change-files.ts"
import { claimFiles } from "./claim-files.ts"
import { deleteFiles } from "./delete-files.ts"
import { requestFileAccess } from "./file-access.ts"
import { getFiles } from "./get-files.ts"
import { rejectFiles, releaseFiles } from "./judge-files.ts"
import { listDeletions } from "./list-deletions.ts"
import { listFiles } from "./list-files.ts"
import type { Operation } from "./operation.ts"
import { getUsageInfo } from "./usage-info.ts"

/** All operations of the REST API, by their names in its paths. Source: docs/protocol.md §10. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  Object.entries({
    listFiles,
    getFiles,
    deleteFiles,
    listDeletions,
    renameFiles,
    updateACL,
    moveFiles,
    updateFiles,
    claimFiles,
    releaseFiles,
    rejectFiles,
    getUsageInfo,
    requestFileAccess,
  }),
)
