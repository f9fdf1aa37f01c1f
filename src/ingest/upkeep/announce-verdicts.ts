import type { Service } from "../service.ts"
import type { UploadRecord } from "../storage/catalog/catalog.ts"

/** Tells everybody who waits for files that were held: their apps are owed an event, and rejected bytes can go. */
export const announceVerdicts = (
  {
    changes,
    devStreams,
    dispatcher,
    readers,
    wakeHousekeeping,
  }: Pick<Service, "changes" | "devStreams" | "dispatcher" | "readers" | "wakeHousekeeping">,
  uploads: ReadonlyArray<UploadRecord>,
): void => {
  for (const { file, registration } of uploads) {
    if (registration?.isDev === true) devStreams.wake(file.appId, registration.callbackSlug)
    changes.notify(file.key)
    // The scanner may be reading it by its URL.
    if (file.status === "Failed") readers.stop(file.key)
  }
  if (uploads.some(({ delivery }) => delivery !== null)) dispatcher.wake()
  if (uploads.some(({ file }) => file.status === "Failed")) wakeHousekeeping()
}
