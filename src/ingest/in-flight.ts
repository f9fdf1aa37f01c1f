import { endsWithin } from "../server-kit/ends-within.ts"

/** The requests that are being answered. */
export interface InFlight {
  readonly run: <A>(work: () => Promise<A>) => Promise<A>
  /** Resolves when none are left, or after `patience` ms. */
  readonly settle: (patience: number) => Promise<void>
}

export const createInFlight = (): InFlight => {
  let count = 0
  let whenNone = Promise.withResolvers<void>()
  return {
    run: async (work) => {
      count++
      try {
        return await work()
      } finally {
        count--
        if (count === 0) {
          whenNone.resolve()
          whenNone = Promise.withResolvers()
        }
      }
    },
    settle: async (patience) => {
      if (count === 0 || patience <= 0) return
      await endsWithin(whenNone.promise, patience)
    },
  }
}
