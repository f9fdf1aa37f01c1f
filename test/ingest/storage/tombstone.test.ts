import { describe, expect, it } from "vitest"
import type { FileRecord, Tombstone } from "../../../src/ingest/storage/catalog/records.ts"
import { buryFile, judgeKey, type KeyVerdict } from "../../../src/ingest/storage/tombstone.ts"
import type { UploadGrant } from "../../../src/protocol.ts"
import { grantOf } from "../../../src/conformance/catalog/drive-catalog.ts"

const day = 24 * 60 * 60 * 1000
const week = 7 * day

describe("buryFile", () => {
  const file = { expires: 10_000, createdAt: 1000, resumedAt: null, issuedAt: null }
  const bury = (changes: object, { now = 2000, urlsEnd = 0, isExpected = false } = {}) =>
    buryFile({ ...file, ...changes }, { now, urlsEnd, isExpected })

  it.each<[string, Tombstone | null, Tombstone | null]>([
    ["its URLs may be renewed for a week", bury({}), { deletedAt: 2000, until: 1000 + week }],
    ["a week from its newest writer on", bury({ resumedAt: 1500 }), { deletedAt: 2000, until: 1500 + week }],
    ["a URL is valid for longer", bury({ expires: 9 * day }), { deletedAt: 2000, until: 9 * day }],
    ["one seen later is valid for longer", bury({}, { urlsEnd: 8 * day }), { deletedAt: 2000, until: 8 * day }],
    ["its key is expected again", bury({}, { isExpected: true }), { deletedAt: 2000, until: 2000 + week }],
    ["its app's clock is ahead", bury({ issuedAt: 5000 }), { deletedAt: 5000, until: 1000 + week }],
    ["no URL can be valid any more", bury({}, { now: 1000 + week }), null],
    ["the last moment of one", bury({}, { now: 999 + week }), { deletedAt: 999 + week, until: 1000 + week }],
  ])("%s", (_, tombstone, expected) => {
    expect(tombstone).toEqual(expected)
  })
})

describe("judgeKey", () => {
  const deletedAt = 1_000_000
  const tombstone = { deletedAt, until: week }
  const later = { issuedAt: deletedAt + 1 }
  const byServer = { slug: undefined }
  const skew = 5 * 60_000
  type Holder = Pick<FileRecord, "appId" | "status" | "registrationId" | "issuedAt">
  const own: Holder = { appId: "app", status: "Uploading", registrationId: null, issuedAt: later.issuedAt }
  interface Known {
    readonly now?: number
    readonly file?: Holder
    readonly isExpected?: boolean
    readonly left?: Tombstone | null
  }

  it.each<[string, Partial<UploadGrant>, Known, KeyVerdict]>([
    ["nothing was deleted", {}, { left: null }, "open"],
    ["the tombstone has ended", {}, { now: week }, "open"],
    ["its URL does not say when it was issued", {}, {}, "deleted"],
    ["it was issued when the file was deleted", { issuedAt: deletedAt }, { isExpected: true }, "deleted"],
    ["it was registered since", later, { isExpected: true }, "open"],
    ["its registration may be under way", later, { now: later.issuedAt + 59_999 }, "unregistered"],
    ["its registration never came", later, { now: later.issuedAt + 60_000 }, "deleted"],
    ["it has begun since", later, { now: deletedAt * 2, file: own }, "open"],
    ["another upload has begun since", later, { now: deletedAt * 2, file: { ...own, issuedAt: 7 } }, "deleted"],
    [
      "what began since is being deleted",
      later,
      { now: deletedAt * 2, file: { ...own, status: "Deleting" } },
      "deleted",
    ],
    ["a server's own, soon after the deletion", { ...byServer, issuedAt: deletedAt + skew }, {}, "deleted"],
    ["a server's own, long after the deletion", { ...byServer, issuedAt: deletedAt + skew + 1 }, {}, "open"],
  ])("%s", (_, grant, { now = deletedAt + 2, file, isExpected = false, left = tombstone }, verdict) => {
    expect(judgeKey(left, grantOf("key", grant), now, { file, isExpected: () => isExpected })).toBe(verdict)
  })
})
