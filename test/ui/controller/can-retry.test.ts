import { expect, test } from "vitest"
import { type ProblemCode, problems } from "../../../src/protocol.ts"
import { canRetry } from "../../../src/ui/controller/can-retry.ts"

const codes = Object.keys(problems) as Array<ProblemCode>

test("what is repeated without being asked may be repeated by its user too", () => {
  expect(codes.filter((code) => problems[code].retryable && !canRetry(code))).toEqual([])
})

test("what the app, the file or the limits have decided is not offered again", () => {
  expect(codes.filter((code) => !problems[code].retryable && canRetry(code)).toSorted()).toEqual([
    "QUOTA_EXCEEDED",
    "RANGE_MISMATCH",
    "ROUTE_FAILED",
    "UNAUTHORIZED",
  ])
})
