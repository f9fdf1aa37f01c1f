/** How fast bytes move, out of samples. Times in ms of a clock that is never set, `performance.now()` say. */
export interface Speedometer {
  /** @param bytes moved since the sample before; `isMoving`: whether any file is being sent at all */
  readonly sample: (bytes: number, now: number, isMoving: boolean) => void
  /** Bytes per second, as whole ones; undefined before there are 3 s of data, and when nothing has moved for 3 s. */
  readonly read: () => number | undefined
}

/** ms: a sample counts half after `halfLife`; `settled` is how much has to be known; a longer `gap` was no sending (the computer slept). */
const times = { halfLife: 2000, settled: 3000, gap: 90_000 }

/**
 * An average that forgets exponentially, weighted by time: samples may come irregularly, as they do in a hidden tab.
 * The first of them counts no more than it lasted.
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
      // A pause, or a wait for the network, is no slow line.
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
