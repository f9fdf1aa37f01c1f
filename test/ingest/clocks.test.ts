import { describe, expect, it } from "vitest"
import { names } from "../../src/protocol.ts"
import { createGrant, findRegistrations, putRaw, register, sign, startIngest } from "./circle.ts"

const minute = 60_000

/** What an app whose clock is behind says of an upload whose URL lasts an hour. */
const asBehind = (behind: number) => {
  const sentAt = Date.now() - behind
  return {
    grant: createGrant({ slug: "avatar", registrationId: "one", issuedAt: sentAt, expires: sentAt + 60 * minute }),
    sentAt,
  }
}

describe("an app whose clock is behind the ingest's", () => {
  it("so far that its URLs have expired when they are new is told so, how far, and which way", async () => {
    const { url, catalog } = await startIngest()
    const { grant, sentAt } = asBehind(150 * minute)
    const { expires } = grant
    const refused = await register(url, { id: "one", fileKeys: [grant.key], expires, sentAt })
    expect(refused.status).toBe(403)
    const text = await refused.text()
    expect(JSON.parse(text)).toMatchObject({
      code: "FORBIDDEN",
      detail: expect.stringMatching(/app's clock is 3 h behind the ingest's.*NTP/),
    })
    // An app reads no more than this of it.
    expect(text.slice(0, 512)).toContain('"clockSkew"')
    const put = await putRaw(await sign(url, grant), "hello")
    // Not EXPIRED_URL, for which a client would ask again and again.
    expect(await put.json()).toMatchObject({
      status: 403,
      code: "FORBIDDEN",
      detail: expect.stringContaining("3 h behind"),
    })
    expect(await catalog.get(grant.key)).toBeNull()
    // A client whose URL came before the registration was told to renew it: that is as hopeless.
    const renewal = await findRegistrations(url, [{ key: grant.key, id: "one" }])
    expect(renewal.status).toBe(403)
    expect((await renewal.text()).slice(0, 512)).toContain('"clockSkew"')
    expect((await findRegistrations(url, [{ key: grant.key, id: "none" }])).status).toBe(404)
    // A URL of another of the app's servers, which has expired as URLs do.
    const other = createGrant({ ...grant, key: createGrant().key, registrationId: "two" })
    expect(await (await putRaw(await sign(url, other), "hello")).json()).toMatchObject({ code: "EXPIRED_URL" })

    const mended = asBehind(0)
    const { expires: later } = mended.grant
    expect((await register(url, { fileKeys: [mended.grant.key], expires: later, sentAt: mended.sentAt })).status).toBe(
      200,
    )
    expect(await (await putRaw(await sign(url, grant), "hello")).json()).toMatchObject({ code: "EXPIRED_URL" })
  })

  it.each([
    [12, "12 min behind"],
    [-12, "12 min ahead of"],
  ])("by %i min is warned in the answer to its registration", async (minutes, told) => {
    const { url } = await startIngest()
    const { grant, sentAt } = asBehind(minutes * minute)
    const answer = await register(url, { fileKeys: [grant.key], expires: grant.expires, sentAt })
    expect(answer.status).toBe(200)
    expect(answer.headers.get(names.header.warning)).toContain(told)
  })

  it("by less than callbacks tolerate hears nothing of it, and neither does one that does not say", async () => {
    const { url } = await startIngest()
    const { grant, sentAt } = asBehind(4 * minute)
    for (const said of [{ sentAt }, {}]) {
      const answer = await register(url, { fileKeys: [grant.key], expires: grant.expires, ...said })
      expect([answer.status, answer.headers.get(names.header.warning)]).toEqual([200, null])
    }
  })
})
