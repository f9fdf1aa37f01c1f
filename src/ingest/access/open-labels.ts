import * as Effect from "effect/Effect"
import type { FileLabels } from "../../protocol/files/file-labels.ts"
import type { Sealer } from "../../protocol/signing/seal.ts"
import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import { createDecoder } from "../../schema/decode.ts"
import { FileLabelsSchema } from "../../schema/file-labels.ts"
import { openSealed } from "./open-sealed.ts"

const decode = createDecoder(FileLabelsSchema)

/** The labels of a file whose URL has none. */
export const noLabels: FileLabels = {}

/**
 * What an app has sealed into the URL of an upload about the file itself: its owner, its path and how long it is kept.
 *
 * Fails: INVALID_SIGNATURE (sealed with another key, for another file, by a newer version, or changed).
 * Source: docs/protocol.md §4.
 *
 * @param sealer of the key that has signed the URL
 */
export const openLabels = (sealer: Sealer, grant: UploadGrant) =>
  grant.labels === undefined
    ? Effect.succeed(noLabels)
    : openSealed(sealer, grant, grant.labels, { appId: grant.appId, fileKey: grant.key }, decode)
