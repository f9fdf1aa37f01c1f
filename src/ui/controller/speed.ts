/** The speed of a transfer, from samples. Times in ms of a monotonic clock, such as `performance.now()`. */
export interface Speedometer {
  /** @param bytes moved since the previous sample; `isMoving`: whether any file is being sent at all */
  readonly sample: (bytes: number, now: number, isMoving: boolean) => void
  /** Bytes per second, as whole ones; undefined before there are 3 s of data, and when nothing has been sent for 3 s. */
  readonly read: () => number | undefined
}

/**
 * ms: the weight of a sample halves after `halfLife`; `settled` is the least time of data; a longer `gap` means that
 * nothing was sent (the computer slept).
 */
const times = { halfLife: 2000, settled: 3000, gap: 90_000 }

/**
 * An exponentially decaying average, weighted by time: samples may be irregular, as in a hidden tab. The first of them
 * counts no more than its duration.
 */
export const createSpeedometer = (): Speedometer => {
  let last: number | undefined
  let average = 0
  let known = 0
  let still = 0
  const forget = () => {
    average = known = still = 0
  }
  return {
    sample: (bytes, now, isMoving) => {
      const time = last === undefined ? 0 : now - last
      last = now
      if (time < 0 || time > times.gap) return forget()
      // A pause, or a wait for the network, is not a slow connection.
      if (time === 0 || (bytes === 0 && !isMoving)) {
        if (!isMoving) forget()
        return
      }
      still = bytes > 0 ? 0 : still + time
      if (still >= times.settled) return forget()
      // Nothing is known before the first byte.
      if (bytes === 0 && known === 0) return
      average += ((bytes / time) * 1000 - average) * (1 - 2 ** (-time / times.halfLife))
      known += time
    },
    read: () =>
      known < times.settled ? undefined : Math.round(average / (1 - 2 ** (-known / times.halfLife))) || undefined,
  }
}
