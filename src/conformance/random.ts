/** Choices that look random and are the same ones for the same seed. */
export interface Random {
  /** A whole number from 0 to below `end`. */
  readonly below: (end: number) => number
  readonly pick: <A>(values: ReadonlyArray<A>) => A
}

/** Source: mulberry32. */
export const createRandom = (seed: number): Random => {
  let state = seed | 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  const below = (end: number): number => Math.floor(next() * end)
  return { below, pick: (values) => values[below(values.length)]! }
}

/**
 * Tries sequences of steps, shorter ones first.
 *
 * Fails: with the error of the first sequence that fails, and the steps that led to it in its message.
 */
export const tryAll = async <Step>(
  rounds: number,
  { longest, make }: { readonly longest: number; readonly make: (random: Random) => Step },
  take: (steps: ReadonlyArray<Step>, round: number) => Promise<void>,
): Promise<void> => {
  for (let round = 1; round <= rounds; round++) {
    const random = createRandom(round)
    const length = Math.ceil((longest * round) / rounds)
    const steps = Array.from({ length }, () => make(random))
    try {
      await take(steps, round)
    } catch (cause) {
      if (cause instanceof Error) cause.message += `\nafter ${JSON.stringify(steps)}`
      throw cause
    }
  }
}
