import * as Effect from "effect/Effect"
import type { SealContext, Sealer } from "../../protocol/signing/seal.ts"
import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import { parseJson } from "../../server-kit/read-body.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { whenKnown } from "../when-known.ts"

const encoder = new TextEncoder()

const unusable = ({ name }: UploadGrant, why: string) =>
  new Rejected({
    code: "INVALID_SIGNATURE",
    detail: `The upload URL of ${JSON.stringify(name)} cannot be used: what its app has sealed into it ${why}. Ask the app for a new one.`,
  })

/**
 * What an app has sealed into a parameter of an upload URL, decoded.
 *
 * Fails: INVALID_SIGNATURE where it cannot be opened or is not understood.
 */
export const openSealed = Effect.fnUntraced(function* <A>(
  sealer: Sealer,
  grant: UploadGrant,
  sealed: string,
  context: SealContext,
  decode: (json: unknown) => Effect.Effect<A, string>,
) {
  const text = yield* whenKnown(sealer.open(sealed, context))
  if (text === undefined) return yield* unusable(grant, "cannot be opened")
  const json = yield* Effect.mapError(parseJson(encoder.encode(text)), () => unusable(grant, "is not JSON"))
  return yield* Effect.mapError(decode(json), (detail) =>
    unusable(grant, `is not understood: ${detail.replace(/\.$/, "")}`),
  )
})
