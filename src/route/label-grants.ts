import * as Effect from "effect/Effect"
import type { Credentials } from "../protocol/signing/credentials.ts"
import { readLabels, sealLabels } from "../protocol/files/read-labels.ts"
import type { UploadGrant } from "../protocol/signing/signed-url.ts"
import { Rejected } from "../server-kit/rejected.ts"
import type { NamedRoute } from "./app.ts"
import type { FileDecision } from "./builder/user-code-arguments.ts"
import type { PageGrant } from "./sign-uploads.ts"

/**
 * Seals into each grant what the app says of its file for itself.
 *
 * Fails: INVALID_CONFIG where a label is none.
 *
 * @param decisions what `.file()` returned for each grant; empty where the route has none
 */
export const labelGrants = Effect.fnUntraced(function* (
  { sealer }: Credentials,
  { slug, definition: { claim, hold } }: NamedRoute,
  grants: ReadonlyArray<UploadGrant>,
  decisions: ReadonlyArray<FileDecision>,
) {
  // Nearly always the case.
  if (claim === undefined && hold === undefined && decisions.length === 0) return grants
  const labelled: Array<PageGrant> = []
  for (const [i, grant] of grants.entries()) {
    const decision = decisions[i] ?? {}
    const { owner, path, ownerQuota, expiresIn } = decision
    const read = readLabels({ owner, path, ownerQuota, expiresIn, claim, hold: decision.hold ?? hold })
    if (!read.ok) {
      const detail = `Route ${JSON.stringify(slug)}, what .file() returned: ${read.detail}`
      return yield* new Rejected({ code: "INVALID_CONFIG", detail })
    }
    const { value } = read
    labelled.push(
      value === undefined
        ? grant
        : {
            ...grant,
            labels: yield* Effect.promise(async () => sealLabels(sealer, grant, value)),
            isHeld: value.hold,
          },
    )
  }
  return labelled
})
