import * as Effect from "effect/Effect"
import type { Incoming } from "../../http/incoming.ts"
import { parseJson, readBytes } from "../../server-kit/read-body.ts"
import type { Rejected } from "../../server-kit/rejected.ts"
import type { App } from "../access/apps.ts"
import type { Service } from "../service.ts"

/**
 * The small JSON body of an app's request, which has to arrive in time. `absent` is the value of an empty body.
 *
 * Fails: BAD_REQUEST, with status 413 when it is larger than `maximum` bytes, 408 when it is not complete in time;
 *        RATE_LIMITED when the app has too many of them in progress.
 */
export const readPromptJson = (
  { settings, bodies }: Service,
  app: App,
  request: Incoming,
  maximum: number,
  absent?: unknown,
): Effect.Effect<unknown, Rejected> =>
  Effect.flatMap(bodies.hold(app.id, request, maximum, readBytes(request, maximum, settings.bodyTimeout)), (bytes) =>
    bytes.length === 0 && absent !== undefined ? Effect.succeed(absent) : parseJson(bytes),
  )
