import type * as Effect from "effect/Effect"
import type { Incoming } from "../../http/incoming.ts"
import { readBytes } from "../../server-kit/read-body.ts"
import type { Rejected } from "../../server-kit/rejected.ts"
import type { App } from "../access/apps.ts"
import type { Service } from "../service.ts"

/**
 * The small body of an app's request, which has to arrive in time.
 *
 * Fails: BAD_REQUEST, with status 413 when it is larger than `maximum` bytes, 408 when it is not complete in time;
 *        RATE_LIMITED when the app has too many of them in progress.
 */
export const readPromptBytes = (
  { settings, bodies }: Service,
  app: App,
  request: Incoming,
  maximum: number,
): Effect.Effect<Uint8Array, Rejected> =>
  bodies.hold(app.id, request, maximum, (paced) => readBytes(paced, maximum, settings.bodyTimeout))
