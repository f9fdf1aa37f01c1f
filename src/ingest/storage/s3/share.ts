/** A number of bytes that is shared out. */
export interface Share {
  /** Waits until so many are free, and takes them; resolves with what gives them back. */
  readonly take: (size: number) => Promise<() => void>
  /** How many are taken. */
  readonly taken: () => number
}

/**
 * Makes one. Whoever has waited longest is next, whatever the size: nobody waits for ever. Whoever wants more than there is gets it once
 * nobody else has any.
 */
export const createShare = (most: number): Share => {
  let taken = 0
  const waiting: Array<{ readonly size: number; readonly go: () => void }> = []
  const isFree = (size: number): boolean => taken === 0 || taken + size <= most
  const letIn = (): void => {
    for (let next = waiting[0]; next !== undefined && isFree(next.size); next = waiting[0]) {
      waiting.shift()
      taken += next.size
      next.go()
    }
  }
  return {
    take: async (size) => {
      await new Promise<void>((go) => {
        waiting.push({ size, go })
        letIn()
      })
      let isGiven = false
      return () => {
        if (isGiven) return
        isGiven = true
        taken -= size
        letIn()
      }
    },
    taken: () => taken,
  }
}
