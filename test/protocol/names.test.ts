import fc from "fast-check"
import { expect, it } from "vitest"
import { envName, names, wireNames } from "../../src/protocol/names.ts"

it("spells the names of docs/protocol.md §1", () => {
  expect(names).toEqual({
    word: "sluice",
    adapterPath: "/api/sluice",
    envPrefix: "SLUICE_",
    problemType: "urn:sluice:error:",
    query: {
      expires: "expires",
      identifier: "x-sluice-identifier",
      fileName: "x-sluice-file-name",
      fileSize: "x-sluice-file-size",
      fileType: "x-sluice-file-type",
      slug: "x-sluice-slug",
      registration: "x-sluice-registration",
      issued: "x-sluice-issued",
      seal: "x-sluice-seal",
      labels: "x-sluice-labels",
      customId: "x-sluice-custom-id",
      contentDisposition: "x-sluice-content-disposition",
      acl: "x-sluice-acl",
      cache: "x-sluice-cache",
      transport: "x-sluice-transport",
      signature: "signature",
    },
    readQuery: { held: "x-sluice-held" },
    action: { type: "actionType", slug: "slug", upload: "upload", renew: "renew" },
    header: {
      apiKey: "x-sluice-api-key",
      signature: "x-sluice-signature",
      hook: "sluice-hook",
      accept: "sluice-accept",
      rangeStart: "x-sluice-range-start",
      largestAppend: "x-sluice-largest-append",
      version: "x-sluice-version",
      warning: "x-sluice-warning",
      webhookId: "webhook-id",
      webhookTimestamp: "webhook-timestamp",
      webhookSignature: "webhook-signature",
    },
    path: {
      register: "route-metadata",
      registrations: "route-registrations",
      callbackResult: "callback-result",
      file: "f",
      appFile: "a",
      prefix: "p",
      heldFile: "scan",
      verdict: "verdict",
      api: "v6",
      oldApi: "api",
      health: "health",
      ready: "ready",
      metrics: "metrics",
    },
  })
})

it("derives a whole vocabulary from any other word: nothing of the first one is left", () => {
  const replaced = (word: string) =>
    JSON.parse(JSON.stringify(names).replaceAll("sluice", word).replaceAll("SLUICE", word.toUpperCase())) as unknown
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z][a-z0-9]{0,20}$/), (word) => {
      fc.pre(!word.includes("sluice"))
      expect(wireNames(word)).toEqual(replaced(word))
      expect(JSON.stringify(wireNames(word))).not.toMatch(/sluice/i)
    }),
  )
})

it("gives header names in lower case that a Headers object takes", () => {
  for (const name of Object.values(names.header)) expect([...new Headers({ [name]: "x" }).keys()]).toEqual([name])
})

it.each([
  ["token", "SLUICE_TOKEN"],
  ["logLevel", "SLUICE_LOG_LEVEL"],
  ["ingestUrl", "SLUICE_INGEST_URL"],
  ["callbackUrl", "SLUICE_CALLBACK_URL"],
  ["isDev", "SLUICE_IS_DEV"],
  ["presignedUrlTtl", "SLUICE_PRESIGNED_URL_TTL"],
])("option %s is %s in the environment", (option, variable) => {
  expect(envName(option)).toBe(variable)
})
