import type { Double, DoubleRequest } from "./start-double.ts"

/** Requests of a bucket that are held back. */
export interface HeldBack {
  /** The first one has arrived. */
  readonly arrived: Promise<void>
  readonly release: () => void
}

/** Holds back those requests that are meant, from when they have arrived. */
export const holdBack = (
  { onRequest }: Pick<Double, "onRequest">,
  isMeant: (request: DoubleRequest) => boolean,
): HeldBack => {
  const arrived = Promise.withResolvers<void>()
  const released = Promise.withResolvers<void>()
  onRequest(async (request) => {
    if (!isMeant(request)) return
    arrived.resolve()
    await released.promise
  })
  return { arrived: arrived.promise, release: released.resolve }
}
