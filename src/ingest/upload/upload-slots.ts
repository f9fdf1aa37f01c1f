import { Rejected } from "../../http/rejected.ts"

/** Bounds how many files of an app are sent at the same time. */
export interface UploadSlots {
  /**
   * Does the work in a slot of the file's app. Writers of one file share its slot: the newest is about to replace them.
   *
   * Fails: rejects with `Rejected` RATE_LIMITED when the app's slots are all taken, and as the work does.
   */
  readonly run: <A>(file: { readonly appId: string; readonly key: string }, work: () => Promise<A>) => Promise<A>
}

/** @param maximum slots of each app */
export const createUploadSlots = (maximum: number): UploadSlots => {
  /** Writers of each file, of each app. */
  const apps = new Map<string, Map<string, number>>()
  return {
    run: async ({ appId, key }, work) => {
      const files = apps.get(appId) ?? new Map<string, number>()
      const writers = files.get(key) ?? 0
      if (writers === 0 && files.size >= maximum) {
        throw new Rejected({
          code: "RATE_LIMITED",
          detail: `${maximum} files of this app are being uploaded already. Try again in a moment.`,
          headers: { "retry-after": "5" },
        })
      }
      apps.set(appId, files.set(key, writers + 1))
      try {
        return await work()
      } finally {
        const left = files.get(key)! - 1
        if (left > 0) files.set(key, left)
        else files.delete(key)
      }
    },
  }
}
