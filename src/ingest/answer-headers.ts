import type { Answer } from "../http/answer.ts"
import { openToOrigins } from "./cors.ts"
import { neverPage, notSniffed } from "./file-headers.ts"

/** Adds what every answer of the ingest says of itself. */
export const withCommonHeaders = ({ status, headers, body }: Answer, isHiddenFromPages = false): Answer => ({
  status,
  headers: {
    ...headers,
    ...notSniffed,
    ...(status >= 400 && neverPage),
    ...(!isHiddenFromPages && openToOrigins),
  },
  body,
})
