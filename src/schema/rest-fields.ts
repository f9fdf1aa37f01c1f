/* What several messages of the REST API have. Source: docs/protocol.md §10. */
import * as Schema from "effect/Schema"
import { limits } from "../protocol/limits.ts"
import { type FileReference, fileStatuses } from "../protocol/rest-messages.ts"
import { CustomId } from "./custom-id.ts"

export const FileKey = Schema.String.check(
  Schema.isPattern(/^[A-Za-z0-9_-]+$/u, { message: "Expected the key of a file" }),
  Schema.isMaxLength(limits.fileKey),
).annotate({
  description: "The key of a file.",
})

export const Acl = Schema.Literals(["public-read", "private"])

export const Status = Schema.Literals(fileStatuses)

export const Count = Schema.Int.check(Schema.isGreaterThanOrEqualTo(0))

export const PageSize = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: limits.filesPerPage }))

export const PathPrefix = Schema.String.check(
  Schema.isMinLength(1),
  Schema.isMaxLength(limits.storedPath),
  Schema.makeFilter(
    (text) => (text.isWellFormed() && !text.includes("\0")) || "Expected whole Unicode characters, without NUL",
    {
      toJsonSchema: () => ({}),
    },
  ),
)

export const someFiles = <S extends Schema.Constraint>(schema: S) =>
  Schema.Array(schema).check(
    Schema.isMinLength(1, { message: "Expected at least one file" }),
    Schema.isMaxLength(limits.filesPerCall, { message: `Expected at most ${limits.filesPerCall} files` }),
  )

/** Requires exactly one of two fields: if both were given, one would be ignored. A union would report every mistake twice. */
const oneOf = (first: string, second: string) =>
  Schema.makeFilter(
    (value: object) =>
      first in value !== second in value || `Expected ${first} or ${second}${first in value ? ", not both" : ""}`,
    { toJsonSchema: () => ({ oneOf: [{ required: [first] }, { required: [second] }] }) },
  )

/** A file by its key or by its custom id, with further fields. */
export const ofFile = <Fields extends Schema.Struct.Fields>(fields: Fields) =>
  Schema.Struct({
    fileKey: Schema.optionalKey(FileKey),
    customId: Schema.optionalKey(CustomId),
    ...fields,
  }).check(oneOf("fileKey", "customId")) as unknown as Schema.Codec<FileReference & Schema.Struct.Type<Fields>>
