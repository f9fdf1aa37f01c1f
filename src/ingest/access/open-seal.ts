import * as Effect from "effect/Effect"
import { limits } from "../../protocol/limits.ts"
import type { Sealer } from "../../protocol/signing/seal.ts"
import type { UploadGrant } from "../../protocol/signing/signed-url.ts"
import { parseTraceContext } from "../../protocol/trace-context.ts"
import { createDecoder } from "../../schema/decode.ts"
import { SealedRegistrationSchema } from "../../schema/registration.ts"
import { logWarning } from "../../server-kit/logging.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import type { App } from "./apps.ts"
import { toBoundedJson } from "../requests/bounded-json.ts"
import { checkDestination } from "./callback-destination.ts"
import { openSealed } from "./open-sealed.ts"
import type { Service } from "../service.ts"
import type { NewRegistration } from "../storage/catalog/catalog.ts"

const decode = createDecoder(SealedRegistrationSchema)

/** How many characters of a reason, which quotes what an app has sent, are logged. */
const longestReason = 500

/**
 * What an app has sealed into the URL of an upload: its registration. Undefined where the URL holds none, so that it
 * comes by a request.
 *
 * Fails: INVALID_SIGNATURE (it was sealed with another key, for another app or route, by a newer version, or was changed), FORBIDDEN (callbacks may not go there).
 * Source: docs/protocol.md §4.
 *
 * @param sealer of the key that has signed the URL
 */
export const openSeal = Effect.fnUntraced(function* (service: Service, app: App, sealer: Sealer, grant: UploadGrant) {
  const { seal, slug } = grant
  if (seal === undefined || slug === undefined) return undefined
  const sealed = yield* openSealed(sealer, grant, seal, { appId: app.id, slug }, decode)
  yield* checkDestination(service, app, sealed.callbackUrl).pipe(
    Effect.tapError(({ detail }) => {
      // Whoever has the URL may send it as often as they like.
      const missed = service.remind(`${app.id} callback`)
      if (missed === undefined) return Effect.void
      const facts = { app: app.id, reason: detail.slice(0, longestReason), ...(missed > 0 && { missed }) }
      return logWarning("An upload was refused for its callback URL.", facts)
    }),
    Effect.mapError(
      (cause) =>
        new Rejected({
          code: "FORBIDDEN",
          detail: `${JSON.stringify(grant.name)} cannot be taken: callbacks may not go where its app wants them. The ingest's log has more.`,
          cause,
        }),
    ),
  )
  const get = (name: string) => sealed[name as "traceparent" | "tracestate"] ?? null
  return {
    metadata: yield* toBoundedJson("The metadata", sealed.metadata, limits.metadata),
    callbackUrl: sealed.callbackUrl,
    callbackSlug: sealed.callbackSlug ?? slug,
    awaitServerData: sealed.awaitServerData ?? true,
    isDev: false,
    trace: parseTraceContext({ get }) ?? service.trace ?? null,
  } satisfies NewRegistration
})
