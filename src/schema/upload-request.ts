import * as Schema from "effect/Schema"
import { limits } from "../protocol/limits.ts"
import type { FileDescriptor, RenewRequest, UploadRequest } from "../protocol/messages.ts"
import { FileName } from "./file-name.ts"
import { FilePath } from "./file-path.ts"
import { Json } from "./json.ts"

const ByteCount = Schema.Number.check(
  Schema.makeFilter(
    (size: number) => (Number.isSafeInteger(size) && size >= 0) || "Expected a whole number of bytes, 0 or more",
  ),
)

/** Source: docs/protocol.md §5. */
export const FileDescriptorSchema: Schema.Codec<FileDescriptor> = Schema.Struct({
  name: FileName,
  size: ByteCount,
  type: Schema.String.check(Schema.isMaxLength(255)),
  lastModified: Schema.optionalKey(Schema.Union([Schema.Finite, Schema.Undefined])),
  path: Schema.optionalKey(Schema.Union([FilePath, Schema.Undefined])),
})

/** Source: docs/protocol.md §5. */
export const UploadRequestSchema: Schema.Codec<UploadRequest> = Schema.Struct({
  files: Schema.Array(FileDescriptorSchema).check(
    Schema.isMinLength(1, { message: "Expected at least one file" }),
    Schema.isMaxLength(limits.filesPerRequest, { message: `Expected at most ${limits.filesPerRequest} files` }),
  ),
  input: Schema.optionalKey(Json),
})

/** Source: docs/protocol.md §5. */
export const RenewRequestSchema: Schema.Codec<RenewRequest> = Schema.Struct({
  urls: Schema.Array(Schema.String).check(
    Schema.isMinLength(1, { message: "Expected at least one URL" }),
    Schema.isMaxLength(limits.filesPerRequest, { message: `Expected at most ${limits.filesPerRequest} URLs` }),
  ),
  input: Schema.optionalKey(Json),
})
