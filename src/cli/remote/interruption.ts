const signals = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 } as const

/** Whether the user has interrupted a command. */
export interface Interruption {
  /** Is aborted by the first signal. */
  readonly signal: AbortSignal
  /** 128 and the number of the signal, once there was one. */
  readonly exitCode: () => number | undefined
}

/**
 * Lets a command end what it has begun when it is interrupted (SIGINT, SIGTERM, SIGHUP). A second signal ends the
 * process at once.
 */
export const watchInterruption = (): Interruption => {
  const controller = new AbortController()
  let exitCode: number | undefined
  for (const [signal, number] of Object.entries(signals)) {
    process.on(signal, () => {
      if (exitCode !== undefined) process.exit(128 + number)
      exitCode = 128 + number
      controller.abort()
    })
  }
  return { signal: controller.signal, exitCode: () => exitCode }
}
