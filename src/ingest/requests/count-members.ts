/** How many members the objects of a value have, which is not deep. */
export const countMembers = (value: unknown): number => {
  if (typeof value !== "object" || value === null) return 0
  const inner = Object.values(value)
  return inner.reduce((sum: number, each) => sum + countMembers(each), Array.isArray(value) ? 0 : inner.length)
}
