import { createDecoder } from "../schema/decode.ts"
import {
  ClaimedFilesSchema,
  DeletedFilesSchema,
  DeletedSelectionSchema,
  DeletionsSchema,
  FileAccessSchema,
  FilePageSchema,
  FoundFilesSchema,
  MovedFilesSchema,
  RejectedFilesSchema,
  ReleasedFilesSchema,
  RenamedFilesSchema,
  UpdatedAclsSchema,
  UpdatedFilesSchema,
  UsageInfoSchema,
} from "../schema/rest.ts"

/** The operations of the REST API. Source: docs/protocol.md §10 "REST API". */
export const operations = {
  listFiles: { name: "listFiles", decode: createDecoder(FilePageSchema) },
  getFiles: { name: "getFiles", decode: createDecoder(FoundFilesSchema) },
  deleteFiles: { name: "deleteFiles", decode: createDecoder(DeletedFilesSchema) },
  deleteSelection: { name: "deleteFiles", decode: createDecoder(DeletedSelectionSchema) },
  listDeletions: { name: "listDeletions", decode: createDecoder(DeletionsSchema) },
  renameFiles: { name: "renameFiles", decode: createDecoder(RenamedFilesSchema) },
  updateACL: { name: "updateACL", decode: createDecoder(UpdatedAclsSchema) },
  moveFiles: { name: "moveFiles", decode: createDecoder(MovedFilesSchema) },
  updateFiles: { name: "updateFiles", decode: createDecoder(UpdatedFilesSchema) },
  claimFiles: { name: "claimFiles", decode: createDecoder(ClaimedFilesSchema) },
  releaseFiles: { name: "releaseFiles", decode: createDecoder(ReleasedFilesSchema) },
  rejectFiles: { name: "rejectFiles", decode: createDecoder(RejectedFilesSchema) },
  getUsageInfo: { name: "getUsageInfo", decode: createDecoder(UsageInfoSchema) },
  requestFileAccess: { name: "requestFileAccess", method: "getSignedURL", decode: createDecoder(FileAccessSchema) },
}
