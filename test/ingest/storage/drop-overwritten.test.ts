import { expect, it } from "vitest"
import { dropOverwritten } from "../../../src/ingest/storage/drop-overwritten.ts"

it("makes each change of one reference once, however often an app repeats it", () => {
  const [both, a] = [{ customId: "both" }, { fileKey: "both" }]
  const repeated = Array.from({ length: 1000 }, () => ({ file: both, acl: "private" }) as const)
  expect(dropOverwritten(repeated)).toEqual([{ file: both, acl: "private" }])
  const changes = [
    { file: both, acl: "private" },
    { file: both, name: "first.txt" },
    { file: a, acl: "public-read" },
    { file: both, name: "second.txt" },
  ] as const
  expect(dropOverwritten(changes)).toEqual([changes[0], changes[2], changes[3]])
})
