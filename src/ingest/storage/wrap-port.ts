/** The members of an object and of its classes, by name. */
const memberNames = (port: object): ReadonlySet<string> => {
  const found = new Set<string>()
  for (let level = port; level !== null && level !== Object.prototype; level = Object.getPrototypeOf(level)) {
    for (const name of Object.getOwnPropertyNames(level)) if (name !== "constructor") found.add(name)
  }
  return found
}

/**
 * Wraps a blob store or catalog so that each of its methods runs through `around`.
 *
 * The methods run on the port itself, because a driver may be a class with private fields. Members that are not
 * methods stay as they are.
 */
export const wrapPort = <Port extends object>(
  port: Port,
  around: (method: string, run: () => Promise<unknown>) => Promise<unknown>,
): Port => {
  const wrapped: Record<string, unknown> = {}
  for (const name of memberNames(port)) {
    const member: unknown = port[name as keyof Port]
    wrapped[name] =
      typeof member === "function"
        ? (...args: ReadonlyArray<unknown>) => around(name, () => member.apply(port, args))
        : member
  }
  return wrapped as Port
}
