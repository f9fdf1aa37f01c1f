import type { Answer } from "../../http/answer.ts"
import { names } from "../../protocol/names.ts"
import { openToOrigins } from "./cors.ts"
import { neverPage, notSniffed } from "./file-headers.ts"
import type { Resource } from "../resource.ts"
import type { Settings } from "../settings.ts"

/** Adds what every answer of the ingest says of itself, and to those of an upload URL how much one body may bring. */
export const withCommonHeaders = (
  { status, headers, body }: Answer,
  { moves, isHiddenFromPages }: Resource,
  { largestAppend }: Settings,
): Answer => ({
  status,
  headers: {
    ...headers,
    ...notSniffed,
    ...(status >= 400 && neverPage),
    ...(isHiddenFromPages !== true && openToOrigins),
    ...(moves === "in" && largestAppend !== undefined && { [names.header.largestAppend]: String(largestAppend) }),
  },
  body,
})
