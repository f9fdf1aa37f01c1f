import { createEventId } from "../event-id.ts"
import type { Service } from "../service.ts"
import type { UploadRecord } from "../storage/catalog/catalog.ts"
import type { ProvenUpload } from "./proven-put.ts"
import { unlessRefused } from "./unless-refused.ts"
import { untilLetGo } from "./until-let-go.ts"
import type { Writer } from "./writers.ts"

/** What an upload has become when it begins, or goes on. */
export type Begun =
  | { readonly kind: "granted"; readonly epoch: number; readonly id: number; readonly isNew: boolean }
  /** The file is there already. */
  | { readonly kind: "finished"; readonly upload: UploadRecord }

/** Another upload had the key: its app is told that it has failed, and its bytes, which no quota counts any more, are removed. */
const announceReplacement = ({ dispatcher, devStreams, wakeHousekeeping }: Service, appId: string): void => {
  dispatcher.wake()
  devStreams.wake(appId)
  wakeHousekeeping()
}

/**
 * Begins an upload, or goes on with it: whoever did that before writes no more, in any process.
 *
 * Fails: rejects with `Rejected`; INVALID_SIGNATURE, NOT_FOUND, BAD_REQUEST (the key is taken), LOCKED, QUOTA_EXCEEDED, and the
 * code with which the upload has failed.
 */
export const begin = async (
  service: Service,
  upload: ProvenUpload,
  writer?: Pick<Writer, "signal">,
): Promise<Begun> => {
  const { app, grant, registration, labels, origin } = upload
  const ask = (unlessHeld: boolean) =>
    service.catalog.begin({
      grant,
      registration,
      labels,
      origin,
      now: service.now(),
      eventId: createEventId(),
      quota: app.quota,
      appSince: app.since,
      unlessHeld,
    })
  const decided = await untilLetGo(service.catalog, ask, ({ kind }) => kind === "held", writer?.signal)
  const begun = unlessRefused(decided, upload)
  if (begun.kind === "granted" && begun.isNew && begun.epoch > 1) announceReplacement(service, grant.appId)
  return begun
}
