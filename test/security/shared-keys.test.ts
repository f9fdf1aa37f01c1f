import { describe, expect, test } from "vitest"
import { names } from "../../src/protocol.ts"
import { createGrant, eventually, offsetOf, postResult, putRaw, sign, startIngest } from "../ingest/circle.ts"
import { bodyOf, startSharedApp } from "./two-users.ts"

const mine = "bytes of alice"
const theirs = "evil bytes bob"
const size = mine.length

const read = async (url: string, key: string) => (await fetch(`${url}/${names.path.file}/${key}`)).text()

describe("two users whom the app gave the same file key", () => {
  test("an empty PUT to another's stored file gives neither the file's record nor its server data", async () => {
    const app = await startSharedApp()
    const [alice, bob] = [await app.presign("alice", mine), await app.presign("bob", mine)]
    expect(bob.key).toBe(alice.key)
    const done = await putRaw(alice.url, mine)
    expect(await done.json()).toMatchObject({ serverData: { secret: "secret of alice" } })
    expect((await fetch(bob.url, { method: "HEAD" })).status).toBe(409)
    for (const [body, start] of [
      [null, size],
      [theirs, 0],
      ["", 0],
    ] as const) {
      const refused = await bodyOf(await putRaw(bob.url, body, start))
      expect(refused).toMatchObject({ status: 409, code: "BAD_REQUEST" })
      expect(refused.text).not.toMatch(/secret|fileHash|uploadedAt/)
    }
    expect(await read(app.ingest.url, alice.key)).toBe(mine)
    expect(await (await putRaw(alice.url, null, size)).json()).toMatchObject({
      serverData: { secret: "secret of alice" },
    })
    expect(app.told).toEqual([{ by: "complete", user: "alice", file: alice.key }])
  })

  test("what one has sent is not resumed by the other, who begins from nothing under an own name", async () => {
    const app = await startSharedApp()
    const alice = await app.presign("alice", mine)
    expect((await putRaw(alice.url, mine.slice(0, 6))).headers.get(names.header.rangeStart)).toBe("6")
    const bob = await app.presign("bob", theirs)
    expect(await offsetOf(bob.url)).toBe(0)
    const midway = await putRaw(bob.url, theirs.slice(6), 6)
    expect([midway.status, midway.headers.get(names.header.rangeStart)]).toEqual([409, "0"])
    expect(await (await putRaw(bob.url, theirs)).json()).toMatchObject({ serverData: { secret: "secret of bob" } })
    expect(await read(app.ingest.url, bob.key)).toBe(theirs)
    expect((await fetch(alice.url, { method: "HEAD" })).status).toBe(409)
    const late = await bodyOf(await putRaw(alice.url, mine))
    expect(late).toMatchObject({ status: 409, code: "BAD_REQUEST" })
    expect(late.text).not.toMatch(/bob/)
    await eventually(() => app.told.length === 2)
    expect(app.told.toSorted((a, b) => a.by.localeCompare(b.by))).toEqual([
      { by: "complete", user: "bob", file: bob.key },
      { by: "error", user: "alice", file: alice.key },
    ])
  })

  test("the one who asked first cannot take the key back: neither throws the other's bytes away for ever", async () => {
    const app = await startSharedApp()
    const [alice, bob] = [await app.presign("alice", mine), await app.presign("bob", theirs)]
    await putRaw(bob.url, theirs.slice(0, 6))
    expect(await bodyOf(await putRaw(alice.url, mine))).toMatchObject({ status: 409, code: "BAD_REQUEST" })
    expect(await offsetOf(bob.url)).toBe(6)
    expect((await putRaw(bob.url, theirs.slice(6), 6)).status).toBe(200)
  })

  test("who has no right to the key does not stop the connection of who has", async () => {
    const app = await startSharedApp()
    const [alice, bob] = [await app.presign("alice", mine), await app.presign("bob", theirs)]
    let write: ReadableStreamDefaultController<Uint8Array>
    const body = new ReadableStream<Uint8Array>({ start: (controller) => void (write = controller) })
    const bytes = new TextEncoder().encode(theirs)
    // A form's length is not known before: it goes the long way, and has a row before its last byte.
    await putRaw(bob.url, theirs.slice(0, 1))
    const sending = putRaw(bob.url, body, 1)
    write!.enqueue(bytes.slice(1, 6))
    await eventually(async () => (await app.ingest.catalog.get(bob.key))?.file.resumedAt !== null)
    for (let again = 0; again < 3; again++) {
      expect((await fetch(alice.url, { method: "HEAD" })).status).toBe(409)
      expect((await putRaw(alice.url, mine)).status).toBe(409)
    }
    write!.enqueue(bytes.slice(6))
    write!.close()
    const done = await sending
    expect([done.status, await done.json()]).toEqual([200, expect.objectContaining({ size: theirs.length })])
  })

  test("a page that is loaded again starts anew at once, and the tab left behind is told so", async () => {
    const app = await startSharedApp()
    const before = await app.presign("alice", mine)
    await putRaw(before.url, mine.slice(0, 6))
    const after = await app.presign("alice", mine)
    expect((await putRaw(after.url, mine)).status).toBe(200)
    expect((await putRaw(before.url, mine.slice(6), 6)).status).toBe(409)
  })

  test("a renewed URL goes on where the upload was, the key being shared or not", async () => {
    const app = await startSharedApp()
    const alice = await app.presign("alice", mine)
    await putRaw(alice.url, mine.slice(0, 6))
    const [renewed] = (await (await app.renew("alice", alice.url)).json()) as [{ url: string }]
    expect(await offsetOf(renewed.url)).toBe(6)
    expect(await (await putRaw(renewed.url, mine.slice(6), 6)).json()).toMatchObject({
      serverData: { secret: "secret of alice" },
    })
    expect((await putRaw(alice.url, null, size)).status).toBe(200)
  })

  test.each([
    ["the other's first", ["alice", "bob"]],
    ["the own first", ["bob", "alice"]],
  ])("registrations that come after the bytes, %s: each file has its own", async (_, order) => {
    const app = await startSharedApp()
    const waiting: Array<() => void> = []
    app.passRegistrations(async (send) => {
      await new Promise<void>((resolve) => waiting.push(resolve))
      return send()
    })
    const alice = await app.presign("alice", mine)
    const bob = await app.presign("bob", theirs)
    await eventually(() => waiting.length === 2)
    await putRaw(alice.url, mine.slice(0, 6))
    const done = putRaw(bob.url, theirs)
    await eventually(async () => (await app.ingest.catalog.get(bob.key))?.file.status === "Uploaded")
    for (const [place, user] of order.entries()) {
      waiting[user === "alice" ? 0 : 1]!()
      await eventually(() => app.told.length === place + 1)
    }
    expect(await (await done).json()).toMatchObject({ serverData: { secret: "secret of bob" } })
    expect(app.told.map(({ by, user }) => [by, user])).toEqual(
      order.map((user) => [user === "bob" ? "complete" : "error", user]),
    )
  })

  test("a result of an event is kept with that event's file alone", async () => {
    const app = await startSharedApp()
    const bob = await app.presign("bob", theirs)
    expect((await putRaw(bob.url, theirs)).status).toBe(200)
    const forged = await postResult(app.ingest.url, { fileKey: bob.key, eventId: "evt_other", callbackData: "other" })
    expect(forged.status).toBe(404)
    expect(await (await putRaw(bob.url, null, size)).json()).toMatchObject({ serverData: { secret: "secret of bob" } })
  })
})

test("an upload that goes on by a URL signed otherwise has the newer one's reading rights, name for saving and custom id", async () => {
  const ingest = await startIngest()
  const grant = createGrant({ acl: "public-read", customId: "old", contentDisposition: "inline" })
  const first = await sign(ingest.url, grant)
  const second = await sign(ingest.url, {
    ...grant,
    expires: grant.expires + 1000,
    acl: "private",
    customId: "new",
    contentDisposition: "attachment",
  })
  await putRaw(first, "he")
  await putRaw(second, "l", 2)
  expect(await (await putRaw(first, "lo", 3)).json()).toMatchObject({ customId: "new" })
  expect((await fetch(`${ingest.url}/${names.path.file}/${grant.key}`)).status).toBe(403)
  expect((await ingest.catalog.get(grant.key))!.file).toMatchObject({
    acl: "private",
    contentDisposition: "attachment",
  })
})
