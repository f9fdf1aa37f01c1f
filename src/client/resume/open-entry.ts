import type { ResumeEntry, ResumeEntryOptions, ResumeStore } from "./resume-store.ts"

const orNothing = async <A>(work: () => A): Promise<Awaited<A> | undefined> => {
  try {
    return await work()
  } catch {
    return undefined
  }
}

/** The entry of a file; one that remembers nothing where there is no store, or it fails. Fails: never. */
export const openEntry = async (
  store: ResumeStore | undefined,
  options: ResumeEntryOptions,
): Promise<Required<ResumeEntry>> => {
  const entry = await orNothing(() => store?.open(options))
  return {
    kept: entry?.kept,
    keep: async (upload) => (await orNothing(() => entry?.keep(upload))) ?? upload,
    exclusively: async (work, signal, onWait) => {
      let result: ReturnType<typeof work> | undefined
      const once = () => (result ??= work())
      await orNothing(() => entry?.exclusively(once, signal, onWait))
      signal.throwIfAborted()
      // If the work itself has failed, this fails with it.
      return once()
    },
    advance: (loaded) => void orNothing(() => entry?.advance?.(loaded)),
    forget: async () => void (await orNothing(() => entry?.forget())),
  }
}
