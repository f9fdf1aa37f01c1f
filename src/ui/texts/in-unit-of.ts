/**
 * Part of a whole in the unit that `createSizeWriter` chooses for the whole, to one digit after the point: 1,032,192 of 1,048,576
 * bytes are 1 of 1 MB, not 1,008 KB of it.
 */
export const inUnitOf = (part: number, whole: number): number => {
  let unit = 1
  for (let power = 0; whole / unit >= 1023.95 && power < 4; power++) unit *= 1024
  return Math.round((part / unit) * 10) / 10
}
