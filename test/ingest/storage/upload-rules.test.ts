import { describe, expect, it } from "vitest"
import type { FileRecord, Usage } from "../../../src/ingest/storage/catalog/records.ts"
import { noOwnerUsage, noUsage } from "../../../src/ingest/storage/quota.ts"
import {
  type BeginVerdict,
  decideBegin,
  decideRegister,
  describeFile,
  endByError,
  type RegisterVerdict,
  replacedFailure,
} from "../../../src/ingest/storage/upload-rules.ts"
import type { UploadGrant } from "../../../src/protocol.ts"
import { failure, grantOf } from "../../../src/conformance/catalog/drive-catalog.ts"

const fileOf = (file: Partial<FileRecord> = {}, grant: Partial<UploadGrant> = {}): FileRecord => ({
  ...describeFile(grantOf("key", grant), "http://ingest.example", 3, 1000),
  id: 7,
  ...file,
})

const uploaded = { status: "Uploaded", uploadedAt: 1500 } as const
const failed = { status: "Failed", failure, endedAt: 1500 } as const
const deleting = { status: "Deleting", endedAt: 1500 } as const

const resumed = (changes: object = {}): BeginVerdict => ({
  kind: "resumes",
  changes: {
    epoch: 4,
    resumedAt: 2000,
    expires: 10_000,
    customId: null,
    contentDisposition: null,
    acl: null,
    cache: null,
    ...changes,
  },
})
const starts = (replaced: object | null): BeginVerdict => ({
  kind: "starts",
  epoch: 4,
  replaced: replaced && { failure: replacedFailure, endedAt: 2000, eventId: undefined, ...replaced },
})
const failedBefore = { failure, endedAt: 1500 }
const told = { eventId: "evt" }
const taken: BeginVerdict = { kind: "taken" }
const alice = { registrationId: "alice", issuedAt: 100 }
const bob = { registrationId: "bob", issuedAt: 200 }
const byHand = { customId: "c", contentDisposition: "inline", acl: "private" } as const

describe("decideBegin", () => {
  const decide = (file: FileRecord | undefined, grant: Partial<UploadGrant>, quota?: number, usage: Usage = noUsage) =>
    decideBegin(
      { grant: grantOf("key", grant), now: 2000, quota, eventId: "evt" },
      file,
      () => usage,
      () => noOwnerUsage,
    )

  it.each<[string, FileRecord | undefined, Partial<UploadGrant>, BeginVerdict]>([
    ["a key without a file", undefined, {}, { kind: "starts", epoch: 1, replaced: null }],
    ["the same URL again", fileOf(), {}, resumed()],
    ["a renewed URL", fileOf(), { expires: 20_000 }, resumed({ expires: 20_000 })],
    [
      "a newer URL with other wishes",
      fileOf(),
      { expires: 20_000, ...byHand },
      resumed({ expires: 20_000, ...byHand }),
    ],
    ["a newer URL without wishes", fileOf({}, byHand), {}, resumed()],
    ["an older URL with other wishes", fileOf({}, { acl: "private" }), { expires: 9999 }, resumed({ acl: "private" })],
    ["another size, of the same registration", fileOf(), { size: 6 }, starts({})],
    ["another name, of the same registration", fileOf(), { name: "b.txt" }, starts({})],
    ["another type, of the same registration", fileOf(), { type: "text/css" }, starts({})],
    ["a registration that was issued later", fileOf({}, alice), bob, starts(told)],
    ["a registration that was issued earlier", fileOf({}, bob), alice, taken],
    ["one that was issued at the same time", fileOf({}, bob), { ...alice, issuedAt: 200 }, taken],
    ["one that does not say when", fileOf({}, bob), { registrationId: "alice" }, starts(told)],
    ["another app, under way", fileOf(), { appId: "other" }, taken],
    ["another app, uploaded", fileOf(uploaded), { appId: "other" }, taken],
    ["another app, failed", fileOf(failed), { appId: "other" }, taken],
    ["another app, being deleted", fileOf(deleting), { appId: "other" }, taken],
    ["the same URL once it is there", fileOf(uploaded), {}, { kind: "finished", outlasts: false }],
    ["a URL that outlasts all", fileOf(uploaded), { expires: 9e12 }, { kind: "finished", outlasts: true }],
    ["a file renamed since", fileOf({ ...uploaded, name: "new" }), {}, { kind: "finished", outlasts: false }],
    ["another size once it is there", fileOf(uploaded), { size: 6 }, taken],
    ["a later registration once it is there", fileOf(uploaded, alice), bob, taken],
    ["the URL that has failed", fileOf(failed), {}, { kind: "failed", failure }],
    ["a URL renewed after a failure", fileOf(failed), { expires: 10_001 }, starts(failedBefore)],
    [
      "the same registration, renewed",
      fileOf(failed, alice),
      { ...alice, expires: 20_000 },
      { kind: "failed", failure },
    ],
    ["a later registration after a failure", fileOf(failed, alice), bob, starts(failedBefore)],
    ["an earlier registration after a failure", fileOf(failed, bob), alice, taken],
    ["what is being deleted, by the same URL", fileOf(deleting), {}, starts(null)],
    ["what is being deleted, by another one", fileOf(deleting, bob), alice, starts(null)],
  ])("%s", (_, file, grant, verdict) => {
    expect(decide(file, grant)).toEqual(verdict)
  })

  it.each<[string, FileRecord | undefined, Partial<UploadGrant>, "starts" | "resumes" | "finished" | "overQuota"]>([
    ["a new file that fits", undefined, { size: 4 }, "starts"],
    ["a new file that does not", undefined, { size: 5 }, "overQuota"],
    ["one that goes on, announced already", fileOf({}, { size: 6 }), { size: 6 }, "resumes"],
    ["one that is there", fileOf(uploaded), {}, "finished"],
    ["one that takes the room of the one before", fileOf({}, { size: 6 }), { size: 10 }, "starts"],
    ["one that takes more than that", fileOf({}, { size: 6 }), { size: 11 }, "overQuota"],
    ["one after a failure, which takes no room", fileOf(failed), { expires: 20_000, size: 5 }, "overQuota"],
  ])("a quota of 10, 6 of it announced: %s", (_, file, grant, kind) => {
    const usage = { ...noUsage, announcedBytes: 6 }
    const verdict = decide(file, grant, 10, usage)
    expect(verdict.kind).toBe(kind)
    if (verdict.kind === "overQuota") expect(verdict.usage).toBe(usage)
  })

  it("asks for the usage only where a file would begin", () => {
    const findUsage = (): Usage => {
      throw new Error("asked")
    }
    const ask = (file: FileRecord | undefined, grant: Partial<UploadGrant> = {}) =>
      decideBegin({ grant: grantOf("key", grant), now: 2000, quota: 10 }, file, findUsage, findUsage)
    for (const file of [fileOf(), fileOf(uploaded), fileOf(failed)]) expect(() => ask(file)).not.toThrow()
    expect(() => ask(fileOf(), { appId: "other" })).not.toThrow()
    expect(() => ask(undefined)).toThrow("asked")
  })

  it("owes no event where the caller has no id for it", () => {
    const grant = grantOf("key", bob)
    expect(
      decideBegin(
        { grant, now: 2000 },
        fileOf({}, alice),
        () => noUsage,
        () => noOwnerUsage,
      ),
    ).toEqual(starts({}))
  })
})

describe("decideRegister", () => {
  type Upload = Parameters<typeof decideRegister>[0]
  const nothing: RegisterVerdict = {
    isAttached: false,
    isOwed: false,
    isUnheard: false,
    isUnderWay: false,
    isExpected: false,
  }
  const of = (status: FileRecord["status"], more: Partial<NonNullable<Upload>> = {}): Upload => ({
    status,
    hold: false,
    isRegistered: false,
    isCurrent: true,
    ...more,
  })

  it.each<[string, Upload, string | null, Partial<RegisterVerdict>]>([
    ["no upload yet", undefined, "x", { isExpected: true }],
    ["no upload yet, without an id", undefined, null, { isExpected: true }],
    ["under way", of("Uploading"), "x", { isUnderWay: true, isExpected: true }],
    ["under way, without an id", of("Uploading"), null, { isUnderWay: true, isExpected: true }],
    ["there first", of("Uploaded"), "x", { isAttached: true, isOwed: true }],
    ["there first, without an id", of("Uploaded"), null, { isAttached: true, isOwed: true }],
    ["there, and its app was told", of("Uploaded", { isRegistered: true }), "x", {}],
    ["held, and registered late", of("Uploaded", { hold: true }), "x", { isAttached: true }],
    ["held, and registered", of("Uploaded", { hold: true, isRegistered: true }), "x", {}],
    ["failed before its bytes could be held", of("Failed", { hold: true }), "x", { isAttached: true, isOwed: true }],
    ["failed before", of("Failed"), "x", { isAttached: true, isOwed: true }],
    ["failed before, without an id", of("Failed"), null, { isAttached: true, isOwed: true, isExpected: true }],
    ["failed, and its app was told", of("Failed", { isRegistered: true }), "x", {}],
    ["failed, its app was told, without an id", of("Failed", { isRegistered: true }), null, { isExpected: true }],
    ["its key was taken", of("Failed", { isCurrent: false }), "x", { isAttached: true, isOwed: true, isUnheard: true }],
    ["its key was taken, and its app was told", of("Failed", { isCurrent: false, isRegistered: true }), "x", {}],
    ["being deleted", of("Deleting"), "x", {}],
    ["being deleted, without an id", of("Deleting"), null, { isExpected: true }],
  ])("%s", (_, upload, id, verdict) => {
    expect(decideRegister(upload, id)).toEqual({ ...nothing, ...verdict })
  })
})

describe("endByError", () => {
  const delivery = { id: "evt", attempts: 2, failures: 1, nextAt: 1900, retry: 1 }
  const facts = {
    deliveryId: "evt",
    attempt: 2,
    startedAt: 1900,
    latency: 100,
    status: null,
    error: "no",
    answer: null,
  }

  it.each([
    ["the newest attempt", delivery, 2, { ...facts, outcome: { retryAt: 2001 } }],
    ["an error that names none", delivery, undefined, { ...facts, outcome: { retryAt: 2001 } }],
    ["an older attempt", delivery, 1, null],
    ["an attempt that has ended", { ...delivery, failures: 2 }, 2, null],
    ["an event that was never sent", { ...delivery, attempts: 0, failures: 0 }, undefined, null],
  ])("%s", (_, pending, attempt, ended) => {
    const judge = (retry: number) => ({ retryAt: 2000 + retry })
    expect(endByError(pending, { attempt, error: "no", now: 2000, judge })).toEqual(ended)
  })
})
