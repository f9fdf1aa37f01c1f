const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

/**
 * Resolves when the process should stop: on SIGINT, SIGTERM, SIGHUP, or when the parent that opened an IPC channel
 * closes it or dies (the only way that works on Windows as well). From then on a second signal ends the process at
 * once.
 */
export const waitForStopRequest = (): Promise<void> =>
  new Promise((resolve) => {
    let isStopping = false
    const stop = () => {
      isStopping = true
      resolve()
    }
    for (const [signal, number] of Object.entries(signals)) {
      process.on(signal, () => {
        if (isStopping) process.exit(128 + number)
        stop()
      })
    }
    process.once("disconnect", stop)
    // The listener alone would keep the process running for as long as the parent does.
    process.channel?.unref()
  })
