/** A map that drops its oldest entry when it is full. */
export interface BoundedMap<Value> {
  readonly has: (key: string) => boolean
  readonly get: (key: string) => Value | undefined
  /** Sets a value, as the last one. */
  readonly set: (key: string, value: Value) => void
  readonly delete: (key: string) => void
}

/** Makes a map of at most this many values, so that what others can add to does not grow without end. */
export const createBoundedMap = <Value>(most: number): BoundedMap<Value> => {
  const values = new Map<string, Value>()
  return {
    has: (key) => values.has(key),
    get: (key) => values.get(key),
    set: (key, value) => {
      values.delete(key)
      values.set(key, value)
      if (values.size > most) values.delete(values.keys().next().value!)
    },
    delete: (key) => void values.delete(key),
  }
}
