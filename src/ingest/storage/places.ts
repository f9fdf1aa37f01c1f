/** Waits for one of a number of places. */
export interface Places {
  /** Resolves with what gives the place back. */
  readonly take: () => Promise<() => void>
}

/** Makes them; whoever has waited longest gets the next one. */
export const createPlaces = (count: number): Places => {
  let free = count
  const waiting: Array<() => void> = []
  const give = (): void => {
    const next = waiting.shift()
    if (next === undefined) free++
    else next()
  }
  return {
    take: async () => {
      if (free > 0) free--
      else await new Promise<void>((resolve) => waiting.push(resolve))
      let isGiven = false
      return () => {
        if (!isGiven) give()
        isGiven = true
      }
    },
  }
}
