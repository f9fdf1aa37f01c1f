/** HTTP dates have whole seconds. */
const toSeconds = (time: number): number => Math.floor(time / 1000)

const isSince = (header: string, modifiedAt: number): boolean => {
  const date = Date.parse(header)
  return !Number.isNaN(date) && toSeconds(modifiedAt) <= toSeconds(date)
}

/** Whether the caller has the file already: the answer is 304. Source: RFC 9110 §13.1.2, §13.1.3. */
export const isNotModified = (headers: Headers, etag: string, modifiedAt: number): boolean => {
  const noneMatch = headers.get("if-none-match")
  if (noneMatch !== null) {
    return noneMatch.trim() === "*" || noneMatch.split(",").some((tag) => tag.trim().replace(/^W\//, "") === etag)
  }
  const since = headers.get("if-modified-since")
  return since !== null && isSince(since, modifiedAt)
}

/** Whether a range of what the caller has is a range of what is stored. Source: RFC 9110 §13.1.5. */
export const isRangeFresh = (headers: Headers, etag: string, modifiedAt: number): boolean => {
  const condition = headers.get("if-range")
  if (condition === null) return true
  return condition.includes('"')
    ? condition.trim() === etag
    : toSeconds(Date.parse(condition)) === toSeconds(modifiedAt)
}
