import { names } from "../protocol/names.ts"

const exposed = [names.header.rangeStart, "content-length", "content-range", "etag", "retry-after"].join(", ")

const allowed = ["range", "content-type", names.header.version, "traceparent", "content-digest", "repr-digest"].join(
  ", ",
)

/** Lets pages of any origin read the answer: access is granted by the URL, never by a cookie. */
export const allowOrigins = (response: Response): Response => {
  response.headers.set("access-control-allow-origin", "*")
  response.headers.set("access-control-expose-headers", exposed)
  return response
}

/** The answer to a preflight. Source: docs/protocol.md §10. */
export const respondPreflight = (methods: ReadonlyArray<string>): Response =>
  new Response(null, {
    status: 204,
    headers: {
      allow: methods.join(", "),
      "access-control-allow-methods": methods.join(", "),
      "access-control-allow-headers": allowed,
      "access-control-max-age": "86400",
    },
  })
