/** Runs at most `limit` pieces of work at a time; the others wait in line. */
export const createGate = (limit: number): (<A>(work: () => Promise<A>) => Promise<A>) => {
  const waiting: Array<() => void> = []
  // Below zero: the number of waiting ones.
  let free = limit
  return async (work) => {
    if (free-- <= 0) await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      free++
      waiting.shift()?.()
    }
  }
}
