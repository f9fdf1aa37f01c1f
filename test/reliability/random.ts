/** Random choices that a seed repeats. */
export interface Random {
  /** From 0 up to and without `end`. */
  readonly below: (end: number) => number
  readonly between: (first: number, last: number) => number
  readonly chance: (probability: number) => boolean
  readonly pick: <A>(values: ReadonlyArray<A>) => A
}

/** The generator is mulberry32; `seed` is any integer. */
export const createRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (end: number): number => Math.floor(next() * end)
  return {
    below,
    between: (first, last) => first + below(last - first + 1),
    chance: (probability) => next() < probability,
    pick: (values) => values[below(values.length)]!,
  }
}
