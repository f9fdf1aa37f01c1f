import { beforeEach, describe, expect, it, onTestFinished } from "vitest"
import { readBucketRules } from "../../../../src/s3.ts"
import { type Double, startDouble } from "./start-double.ts"

let double: Double
beforeEach(async () => {
  double = await startDouble()
  onTestFinished(() => double.close())
})

const read = (pageOrigin?: string) =>
  readBucketRules({ ...double.settings, prefix: "files/", pageOrigin }, { firstWait: 1 })

const toRule = (inner: string, status = "Enabled") => `<Rule><ID>a-rule</ID><Status>${status}</Status>${inner}</Rule>`
const abort = (days: number) =>
  `<AbortIncompleteMultipartUpload><DaysAfterInitiation>${days}</DaysAfterInitiation></AbortIncompleteMultipartUpload>`
const expire = "<Expiration><Days>30</Days></Expiration>"
const prefixed = (prefix: string, more = "") => `<Filter><And><Prefix>${prefix}</Prefix>${more}</And></Filter>`

describe("the lifecycle of a bucket", () => {
  it("has no rule where the bucket says that it has none", async () => {
    expect(await read()).toEqual({ lifecycle: { abortsAfter: null, deletesBy: null } })
  })

  it.each([
    ["the shortest of several", toRule(abort(14)) + toRule(abort(3)), 3],
    ["a rule of our prefix", toRule(`<Filter><Prefix>files/</Prefix></Filter>${abort(14)}`), 14],
    ["a rule of what ours is below", toRule(`<Filter><Prefix>fi</Prefix></Filter>${abort(14)}`), 14],
    ["a rule of some of ours", toRule(prefixed("files/a") + abort(14)), 14],
    ["a rule of the older form", toRule(`<Prefix></Prefix>${abort(14)}`), 14],
    ["none of another prefix", toRule(`<Filter><Prefix>other/</Prefix></Filter>${abort(14)}`), null],
    ["none of another prefix, of the older form", toRule(`<Prefix>other/</Prefix>${abort(14)}`), null],
    ["none that is switched off", toRule(abort(14), "Disabled"), null],
    ["none of tagged objects", toRule(`<Filter><Tag><Key>a</Key><Value>b</Value></Tag></Filter>${abort(14)}`), null],
  ])("aborts unfinished uploads by %s", async (_what, rules, days) => {
    double.lifecycle = `<LifecycleConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${rules}</LifecycleConfiguration>`
    expect(await read()).toEqual({ lifecycle: { abortsAfter: days, deletesBy: null } })
  })

  it.each([
    ["by their age", toRule(expire), "a-rule"],
    ["at a date", toRule("<Expiration><Date>2030-01-01T00:00:00Z</Date></Expiration>"), "a-rule"],
    ["that are large", toRule(prefixed("", "<ObjectSizeGreaterThan>5</ObjectSizeGreaterThan>") + expire), "a-rule"],
    [
      "not, but what was deleted",
      toRule("<Expiration><ExpiredObjectDeleteMarker>true</ExpiredObjectDeleteMarker></Expiration>"),
      null,
    ],
    [
      "not, but versions",
      toRule("<NoncurrentVersionExpiration><NoncurrentDays>1</NoncurrentDays></NoncurrentVersionExpiration>"),
      null,
    ],
    ["not, but those of another prefix", toRule(prefixed("logs/") + expire), null],
    ["not, but those with a tag", toRule(prefixed("files/", "<Tag><Key>a</Key><Value>b</Value></Tag>") + expire), null],
  ])("deletes files %s", async (_what, rules, name) => {
    double.lifecycle = `<LifecycleConfiguration>${rules}</LifecycleConfiguration>`
    expect(await read()).toEqual({ lifecycle: { abortsAfter: null, deletesBy: name } })
  })

  it.each([
    ["AccessDenied", { kind: "answer", status: 403, code: "AccessDenied" }],
    ["NotImplemented", { kind: "answer", status: 501, code: "NotImplemented" }],
    ["StrangeAnswer", { kind: "answer", status: 200, text: "<ListBucketResult></ListBucketResult>" }],
  ] as const)("is not known where it is answered with %s", async (code, fault) => {
    double.onRequest(({ operation }) => (operation === "GetBucketLifecycleConfiguration" ? fault : undefined))
    expect(await read()).toEqual({ lifecycle: { unread: code } })
  })
})

describe("the CORS of a bucket", () => {
  it("lets pages send parts, or does not", async () => {
    expect(await read("https://app.example.com")).toMatchObject({ allowsParts: false })
    double.allowsPages = true
    expect(await read("https://app.example.com")).toMatchObject({ allowsParts: true })
    expect(double.requests.map(({ operation }) => operation)).toEqual(
      Array.from({ length: 2 }, () => "GetBucketLifecycleConfiguration"),
    )
  })

  it.each([
    ["its origin", { "access-control-allow-origin": "https://other.example.com" }],
    ["PUT", { "access-control-allow-methods": "GET, HEAD" }],
    ["the header with the hash", { "access-control-allow-headers": "range" }],
  ])("does not where it does not allow %s", async (_what, changed) => {
    const allowed = {
      "access-control-allow-origin": "https://app.example.com",
      "access-control-allow-methods": "put",
      "access-control-allow-headers": "X-Amz-Content-Sha256",
    }
    const ask = (headers: Record<string, string>) =>
      readBucketRules(
        { ...double.settings, pageOrigin: "https://app.example.com" },
        {
          fetch: async (url, init) =>
            init?.method === "OPTIONS" ? new Response(null, { status: 204, headers }) : fetch(url, init),
        },
      )
    expect(await ask(allowed)).toMatchObject({ allowsParts: true })
    expect(await ask({ ...allowed, ...changed })).toMatchObject({ allowsParts: false })
  })
})
