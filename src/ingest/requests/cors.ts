import type { Answer } from "../../http/answer.ts"
import { names } from "../../protocol/names.ts"

const exposed = [
  names.header.rangeStart,
  names.header.largestAppend,
  "content-length",
  "content-range",
  "accept-ranges",
  "etag",
  "retry-after",
].join(", ")

const allowed = ["range", "content-type", names.header.version, "traceparent", "content-digest", "repr-digest"].join(
  ", ",
)

/** Headers that let pages of any origin read an answer: access is granted by the URL, never by a cookie. */
export const openToOrigins = { "access-control-allow-origin": "*", "access-control-expose-headers": exposed } as const

/** The answer to a preflight. Source: docs/protocol.md §10. */
export const respondPreflight = (methods: ReadonlyArray<string>): Answer => ({
  status: 204,
  headers: {
    allow: methods.join(", "),
    "access-control-allow-methods": methods.join(", "),
    "access-control-allow-headers": allowed,
    "access-control-max-age": "86400",
  },
  body: null,
})
