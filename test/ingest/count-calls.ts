/** A driver whose calls are counted, so that one knows when nothing moves any more. */
export const countCalls = <A extends object>(driver: A, add: (n: number) => void): A =>
  new Proxy(driver, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      if (typeof value !== "function") return value
      return (...args: ReadonlyArray<unknown>) => {
        const returned: unknown = Reflect.apply(value, target, args)
        if (!(returned instanceof Promise)) return returned
        add(1)
        return returned.finally(() => add(-1))
      }
    },
  })
