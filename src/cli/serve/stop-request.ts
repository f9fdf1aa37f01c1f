const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

/** That the process should stop. */
export interface StopRequest {
  /** Resolves when it is there. */
  readonly requested: Promise<void>
  /** Ends what has only begun. */
  readonly signal: AbortSignal
}

/**
 * Waits until the process should stop: on SIGINT, SIGTERM, SIGHUP, or when the parent that opened an IPC channel
 * closes it or dies (the only way that works on Windows as well). From then on a second signal ends the process at
 * once.
 */
export const waitForStopRequest = (): StopRequest => {
  const requested = Promise.withResolvers<void>()
  const controller = new AbortController()
  const stop = () => {
    controller.abort(new Error("The process was asked to stop."))
    requested.resolve()
  }
  for (const [signal, number] of Object.entries(signals)) {
    process.on(signal, () => {
      if (controller.signal.aborted) process.exit(128 + number)
      stop()
    })
  }
  process.once("disconnect", stop)
  // The listener alone would keep the process running for as long as the parent does.
  process.channel?.unref()
  return { requested: requested.promise, signal: controller.signal }
}
