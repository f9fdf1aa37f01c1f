import type { SessionOptions, UploadSession, UploadSessions } from "./upload-sessions.ts"

const orNothing = async <A>(work: () => A): Promise<Awaited<A> | undefined> => {
  try {
    return await work()
  } catch {
    return undefined
  }
}

/** The session of a file; one that remembers nothing where there are no sessions, or they fail. Fails: never. */
export const openSession = async (
  sessions: UploadSessions | undefined,
  options: SessionOptions,
): Promise<Required<UploadSession>> => {
  const session = await orNothing(() => sessions?.open(options))
  return {
    kept: session?.kept,
    keep: async (upload) => (await orNothing(() => session?.keep(upload))) ?? upload,
    exclusively: async (work, signal, onWait) => {
      let result: ReturnType<typeof work> | undefined
      const once = () => (result ??= work())
      await orNothing(() => session?.exclusively(once, signal, onWait))
      signal.throwIfAborted()
      // Where the work is what failed, this fails with it.
      return once()
    },
    advance: (loaded) => void orNothing(() => session?.advance?.(loaded)),
    forget: async () => void (await orNothing(() => session?.forget())),
  }
}
