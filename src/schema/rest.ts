import * as Schema from "effect/Schema"
import { problemCodes } from "../protocol/errors/problem-code.ts"
import { limits } from "../protocol/limits.ts"
import {
  type ClaimedFiles,
  type ClaimFilesRequest,
  type DeletedFiles,
  type DeletedSelection,
  type DeleteFilesRequest,
  type Deletions,
  type FileAccess,
  type FileAccessRequest,
  type FilePage,
  type FoundFiles,
  type GetFilesRequest,
  type ListedFile,
  type ListDeletionsRequest,
  type ListFilesRequest,
  type MovedFiles,
  type MoveFilesRequest,
  type RejectedFiles,
  type RejectFilesRequest,
  type ReleasedFiles,
  type ReleaseFilesRequest,
  type RenamedFiles,
  type RenameFilesRequest,
  type UpdateAclRequest,
  type UpdatedAcls,
  type UpdatedFiles,
  type UpdateFilesRequest,
  type UsageInfo,
  type UsageInfoRequest,
} from "../protocol/rest-messages.ts"
import { CustomId } from "./custom-id.ts"
import { Owner, StoredPath } from "./file-labels.ts"
import { FileName } from "./file-name.ts"
import { FileKey, Acl, Status, Count, PageSize, PathPrefix, someFiles, ofFile } from "./rest-fields.ts"

/** Source: docs/protocol.md §10. */
export const ListFilesRequestSchema: Schema.Codec<ListFilesRequest> = Schema.Struct({
  limit: Schema.optionalKey(PageSize.annotate({ description: "Files on the page, 500 by default." })),
  offset: Schema.optionalKey(Count.annotate({ description: "How many files to leave out. Not together with cursor." })),
  cursor: Schema.optionalKey(
    Schema.String.check(
      Schema.isPattern(/^[0-9]{1,15}(\.(?:[A-Za-z0-9_-]{4}){0,350}(?:[A-Za-z0-9_-]{2,3})?)?$/u, {
        message: "Expected the nextCursor of a page",
      }),
    ).annotate({
      description: "The nextCursor of the previous page.",
    }),
  ),
  status: Schema.optionalKey(Status.annotate({ description: "Only these files." })),
  owner: Schema.optionalKey(Owner),
  prefix: Schema.optionalKey(
    PathPrefix.annotate({
      description: "Only files whose path begins with it, in the order of their paths. Not together with offset.",
    }),
  ),
  folders: Schema.optionalKey(
    Schema.Boolean.annotate({
      description: "Only what is right in the folder `prefix`: its files, and its folders. Not together with offset.",
    }),
  ),
}).check(
  Schema.makeFilter(
    ({ cursor, offset }) => cursor === undefined || offset === undefined || "Expected cursor or offset, not both",
    { toJsonSchema: () => ({ not: { required: ["cursor", "offset"] } }) },
  ),
  Schema.makeFilter(
    ({ prefix, offset }) => prefix === undefined || offset === undefined || "Expected prefix or offset, not both",
    { toJsonSchema: () => ({ not: { required: ["prefix", "offset"] } }) },
  ),
  Schema.makeFilter(
    ({ folders, offset }) => folders !== true || offset === undefined || "Expected folders or offset, not both",
    { toJsonSchema: () => ({ not: { required: ["folders", "offset"], properties: { folders: { const: true } } } }) },
  ),
  Schema.makeFilter(
    ({ prefix, folders, cursor }) =>
      cursor === undefined ||
      cursor.includes(".") === (prefix !== undefined || folders === true) ||
      "Expected the nextCursor of a page with the same prefix",
    { toJsonSchema: () => ({}) },
  ),
)

/** Operations on named files take it, so that a page cannot name the files of somebody else. */
const ofOwner = {
  owner: Schema.optionalKey(
    Owner.annotate({ description: "Whose these files must be; others are treated as files that do not exist." }),
  ),
}

const ListedFileSchema: Schema.Codec<ListedFile> = Schema.Struct({
  id: Schema.String.annotate({ description: "Grows with every new file; never reused." }),
  key: Schema.String,
  customId: Schema.NullOr(Schema.String),
  name: Schema.String,
  size: Count.annotate({ description: "Bytes." }),
  type: Schema.String.annotate({ description: "Media type." }),
  status: Status,
  acl: Acl.annotate({ description: "The ACL in effect: the app's default if the file has none of its own." }),
  uploadedAt: Schema.NullOr(Schema.Int).annotate({
    description: "ms since the epoch; null until the file has arrived.",
  }),
  owner: Schema.NullOr(Schema.String).annotate({ description: "Whose it is, as the app says." }),
  path: Schema.NullOr(Schema.String).annotate({ description: "Where the app files it." }),
  expiresAt: Schema.NullOr(Schema.Int).annotate({ description: "ms since the epoch; null: never." }),
  claimBy: Schema.NullOr(Schema.Int).annotate({
    description: "Until when it has to be claimed, ms since the epoch; null where it is not Pending.",
  }),
  error: Schema.optionalKey(
    Schema.NullOr(
      Schema.Struct({
        code: Schema.Literals(problemCodes),
        message: Schema.String,
        at: Schema.Int.annotate({ description: "ms since the epoch." }),
      }),
    ).annotate({ description: "Why it is Failed, else null." }),
  ),
}).annotate({ identifier: "File" })

/** Source: docs/protocol.md §10. */
export const FilePageSchema: Schema.Codec<FilePage> = Schema.Struct({
  hasMore: Schema.Boolean,
  nextCursor: Schema.NullOr(Schema.String).annotate({
    description: "The cursor of the next page; null after the last.",
  }),
  files: Schema.Array(ListedFileSchema),
  folders: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: "Where they were asked for: paths with the slash at their end.",
    }),
  ),
})

/** Source: docs/protocol.md §10. */
export const GetFilesRequestSchema: Schema.Codec<GetFilesRequest> = Schema.Struct({
  fileKeys: someFiles(FileKey),
  ...ofOwner,
})

/** Source: docs/protocol.md §10. */
export const FoundFilesSchema: Schema.Codec<FoundFiles> = Schema.Struct({ files: Schema.Array(ListedFileSchema) })

/** Source: docs/protocol.md §10. */
export const DeleteFilesRequestSchema: Schema.Codec<DeleteFilesRequest> = Schema.Struct({
  fileKeys: Schema.optionalKey(someFiles(FileKey)),
  customIds: Schema.optionalKey(someFiles(CustomId)),
  owner: Schema.optionalKey(
    Owner.annotate({
      description: "All files of this owner; with fileKeys or customIds, those of them that are this owner's.",
    }),
  ),
  prefix: Schema.optionalKey(
    PathPrefix.annotate({ description: "All files whose path begins with it, or those of the owner." }),
  ),
}).check(
  Schema.makeFilter(
    (given) => {
      const named = ["fileKeys" in given, "customIds" in given].filter(Boolean).length
      const isOne = named === 0 ? "owner" in given || "prefix" in given : named === 1 && !("prefix" in given)
      return isOne || "Expected fileKeys or customIds, each with or without owner; or owner, prefix, or both"
    },
    {
      toJsonSchema: () => ({
        oneOf: [
          { required: ["fileKeys"], not: { required: ["prefix"] } },
          { required: ["customIds"], not: { required: ["prefix"] } },
          {
            anyOf: [{ required: ["owner"] }, { required: ["prefix"] }],
            not: { anyOf: [{ required: ["fileKeys"] }, { required: ["customIds"] }] },
          },
        ],
      }),
    },
  ),
) as unknown as Schema.Codec<DeleteFilesRequest>

/** Source: docs/protocol.md §10. */
export const DeletedFilesSchema: Schema.Codec<DeletedFiles> = Schema.Struct({
  success: Schema.Literal(true),
  deletedCount: Count,
  deletedKeys: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({ description: "The keys of the files that were there." }),
  ),
})

/** Source: docs/protocol.md §10. */
export const DeletedSelectionSchema: Schema.Codec<DeletedSelection> = Schema.Struct({
  success: Schema.Literal(true),
  deletedCount: Count.annotate({ description: "How many files are marked so far." }),
  deletionId: Schema.String,
  isDone: Schema.Boolean.annotate({ description: "Whether these are all. Otherwise the ingest goes on by itself." }),
})

/** Source: docs/protocol.md §10. */
export const ListDeletionsRequestSchema: Schema.Codec<ListDeletionsRequest> = Schema.Struct({
  limit: Schema.optionalKey(PageSize.annotate({ description: "Deletions at most, 500 by default." })),
})

/** Source: docs/protocol.md §10. */
export const DeletionsSchema: Schema.Codec<Deletions> = Schema.Struct({
  deletions: Schema.Array(
    Schema.Struct({
      id: Schema.String,
      owner: Schema.NullOr(Schema.String),
      prefix: Schema.NullOr(Schema.String),
      askedAt: Schema.Int.annotate({ description: "ms since the epoch." }),
      doneAt: Schema.NullOr(Schema.Int).annotate({
        description: "When the last file was marked, ms since the epoch; null: it is not done.",
      }),
      deletedCount: Count,
    }),
  ),
})

/** Source: docs/protocol.md §10. */
export const RenameFilesRequestSchema: Schema.Codec<RenameFilesRequest> = Schema.Struct({
  updates: someFiles(ofFile({ newName: FileName })),
  ...ofOwner,
})

/** Source: docs/protocol.md §10. */
export const RenamedFilesSchema: Schema.Codec<RenamedFiles> = Schema.Struct({
  success: Schema.Literal(true),
  renamedCount: Count,
})

/** Source: docs/protocol.md §10. */
export const UpdateAclRequestSchema: Schema.Codec<UpdateAclRequest> = Schema.Struct({
  updates: someFiles(ofFile({ acl: Acl })),
  ...ofOwner,
})

/** Source: docs/protocol.md §10. */
export const UpdatedAclsSchema: Schema.Codec<UpdatedAcls> = Schema.Struct({
  success: Schema.Literal(true),
  updatedCount: Count,
})

/** Source: docs/protocol.md §10. */
export const MoveFilesRequestSchema: Schema.Codec<MoveFilesRequest> = Schema.Struct({
  updates: someFiles(ofFile({ path: Schema.NullOr(StoredPath) })),
  ...ofOwner,
})

/** Source: docs/protocol.md §10. */
export const MovedFilesSchema: Schema.Codec<MovedFiles> = Schema.Struct({
  success: Schema.Literal(true),
  movedCount: Count,
})

/** Source: docs/protocol.md §10. */
export const UpdateFilesRequestSchema: Schema.Codec<UpdateFilesRequest> = Schema.Struct({
  updates: someFiles(
    ofFile({
      expiresIn: Schema.NullOr(
        Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limits.longestLife / 1000 })),
      ).annotate({
        description: "Seconds from now; null: never.",
      }),
    }),
  ),
  ...ofOwner,
})

/** Source: docs/protocol.md §10. */
export const UpdatedFilesSchema: Schema.Codec<UpdatedFiles> = Schema.Struct({
  success: Schema.Literal(true),
  updatedCount: Count,
})

const Slug = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(limits.slug))

/** Source: docs/protocol.md §10. */
export const ClaimFilesRequestSchema: Schema.Codec<ClaimFilesRequest> = Schema.Struct({
  fileKeys: Schema.optionalKey(someFiles(FileKey)),
  claims: Schema.optionalKey(
    someFiles(Schema.Struct({ slug: Slug, fileKeys: someFiles(FileKey) })).annotate({
      description: "Files of several file routes, instead of fileKeys and slug: 1,000 in all, each once.",
    }),
  ),
  replaces: Schema.optionalKey(
    someFiles(FileKey).annotate({ description: "Keys of files that are deleted with the claim." }),
  ),
  owner: Schema.optionalKey(Owner),
  slug: Schema.optionalKey(
    Slug.annotate({ description: "Through which file route all of `fileKeys` must have come." }),
  ),
}).check(
  Schema.makeFilter(
    ({ fileKeys, claims, slug }) => {
      if ((fileKeys === undefined) === (claims === undefined)) return "Expected either fileKeys or claims"
      if (claims === undefined) return true
      if (slug !== undefined) return "Expected no slug beside claims"
      const keys = claims.flatMap((claim) => claim.fileKeys)
      if (keys.length > limits.filesPerCall) return `Expected at most ${limits.filesPerCall} keys in all claims`
      return new Set(keys).size === keys.length || "Expected each key once in all claims"
    },
    {
      toJsonSchema: () => ({
        oneOf: [{ required: ["fileKeys"] }, { required: ["claims"], not: { required: ["slug"] } }],
      }),
    },
  ),
)

/** Source: docs/protocol.md §10. */
export const ClaimedFilesSchema: Schema.Codec<ClaimedFiles> = Schema.Struct({
  success: Schema.Literal(true),
  claimedCount: Count,
  replacedCount: Count,
})

/** Source: docs/protocol.md §10. */
export const ReleaseFilesRequestSchema: Schema.Codec<ReleaseFilesRequest> = Schema.Struct({
  fileKeys: someFiles(FileKey),
})

/** Source: docs/protocol.md §10. */
export const ReleasedFilesSchema: Schema.Codec<ReleasedFiles> = Schema.Struct({
  success: Schema.Literal(true),
  releasedCount: Count,
  releasedKeys: Schema.Array(Schema.String).annotate({ description: "The keys of the files that were held." }),
})

/** Source: docs/protocol.md §10. */
export const RejectFilesRequestSchema: Schema.Codec<RejectFilesRequest> = Schema.Struct({
  fileKeys: someFiles(FileKey),
  reason: Schema.optionalKey(
    Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(limits.rejectionReason)).annotate({
      description: "Why, for the app's onUploadError and for whoever sent the file.",
    }),
  ),
})

/** Source: docs/protocol.md §10. */
export const RejectedFilesSchema: Schema.Codec<RejectedFiles> = Schema.Struct({
  success: Schema.Literal(true),
  rejectedCount: Count,
  rejectedKeys: Schema.Array(Schema.String).annotate({ description: "The keys of the files that were held." }),
})

/** Source: docs/protocol.md §10. */
export const UsageInfoRequestSchema: Schema.Codec<UsageInfoRequest> = Schema.Struct({
  owner: Schema.optionalKey(Owner),
})

/** Source: docs/protocol.md §10. */
export const UsageInfoSchema: Schema.Codec<UsageInfo> = Schema.Struct({
  totalBytes: Count.annotate({ description: "Bytes of all files that are Uploaded, Pending or Held." }),
  filesUploaded: Count.annotate({ description: "The number of those files." }),
  announcedBytes: Schema.optionalKey(
    Count.annotate({ description: "Bytes that uploads under way have announced. Quotas count them as well." }),
  ),
  limitBytes: Schema.NullOr(Count).annotate({ description: "The app's quota; null if there is no limit." }),
})

/** Source: docs/protocol.md §10. */
export const FileAccessRequestSchema: Schema.Codec<FileAccessRequest> = ofFile({
  ...ofOwner,
  expiresIn: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limits.readUrlTtl })).annotate({
      description: "Seconds, an hour by default.",
    }),
  ),
  download: Schema.optionalKey(
    Schema.Union([Schema.Boolean, FileName]).annotate({
      description: "Browsers save the file instead of showing it: `true` under its own name, a text under that one.",
    }),
  ),
  held: Schema.optionalKey(
    Schema.Boolean.annotate({ description: "The URL reads the file while it is `Held`, too. Not with a custom id." }),
  ),
})

/** Source: docs/protocol.md §10. */
export const FileAccessSchema: Schema.Codec<FileAccess> = Schema.Struct({
  url: Schema.String.annotate({ description: "Signed; reads the file until it expires. A secret." }),
})
