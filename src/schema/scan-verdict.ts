import * as Schema from "effect/Schema"

/** What a scanner that has a URL says of a file. */
export type ScanVerdictMessage =
  { readonly verdict: "release" } | { readonly verdict: "reject"; readonly reason?: string | null | undefined }

/** Source: docs/protocol.md §10. */
export const ScanVerdictSchema: Schema.Codec<ScanVerdictMessage> = Schema.Union([
  Schema.Struct({ verdict: Schema.Literal("release") }),
  Schema.Struct({
    verdict: Schema.Literal("reject"),
    reason: Schema.optionalKey(Schema.NullOr(Schema.Union([Schema.String, Schema.Undefined]))),
  }),
])
