import * as Effect from "effect/Effect"
import { logWarning } from "../../server-kit/logging.ts"
import type { Service } from "../service.ts"
import type { ProvenPut } from "./proven-put.ts"

/**
 * Logs, once an hour for each app, that bytes come through the ingest which might go straight to the bucket: their sender
 * falls back without a failure, and nobody else would learn of it.
 */
export const tellOfDetours = (
  { store, catalog, remind }: Service,
  { app, grant, announced }: Pick<ProvenPut, "app" | "grant" | "announced">,
) =>
  Effect.suspend(() => {
    const mayGoPast = grant.transport !== undefined && store.grantParts !== undefined
    if (!mayGoPast || announced === 0 || grant.size <= catalog.abilities.largestContent) return Effect.void
    const missed = remind(`${app.id} direct`)
    if (missed === undefined) return Effect.void
    return logWarning(
      'A file whose route says transport: "direct" comes through the ingest. Its sender does not reach the bucket (does its rule of CORS allow PUT from the page, and the policy of the page the bucket?), or is no page with TLS; or the bucket was refused, and a line before says why: docs/bucket.md.',
      { app: app.id, key: grant.key, ...(missed > 0 && { missed }) },
    )
  })
