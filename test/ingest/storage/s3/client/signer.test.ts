import { describe, expect, it } from "vitest"
import { toBucketAddress, toSearch } from "../../../../../src/ingest/storage/s3/client/address.ts"
import { emptySha256 } from "../../../../../src/ingest/storage/s3/client/sha256.ts"
import { createS3Signer } from "../../../../../src/ingest/storage/s3/client/signer.ts"
import { verifySignature } from "../verify-signature.ts"

/** The examples that AWS has published: keys, bucket and time of all of them. */
const credentials = {
  accessKeyId: "AKIAIOSFODNN7EXAMPLE",
  secretAccessKey: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
}
const at = Date.UTC(2013, 4, 24)
const region = "us-east-1"
const host = "examplebucket.s3.amazonaws.com"
const address = toBucketAddress({
  endpoint: "https://s3.amazonaws.com",
  bucket: "examplebucket",
  addressing: "virtual-host",
})
const signer = createS3Signer(address, region)

/** Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
const examples = [
  {
    name: "GET Object",
    request: { method: "GET", key: "test.txt", headers: { range: "bytes=0-9" } },
    target: "/test.txt",
    payload: emptySha256,
    signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  },
  {
    name: "PUT Object",
    request: {
      method: "PUT",
      key: "test$file.text",
      headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
    },
    target: "/test%24file.text",
    payload: "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
    signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  },
  {
    name: "GET Bucket Lifecycle",
    request: { method: "GET", query: { lifecycle: "" } },
    target: "/?lifecycle=",
    payload: emptySha256,
    signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  },
  {
    name: "Get Bucket (List Objects)",
    request: { method: "GET", query: { "max-keys": "2", prefix: "J" } },
    target: "/?max-keys=2&prefix=J",
    payload: emptySha256,
    signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  },
]

/** Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sigv4-query-string-auth.html */
const presigned = "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"

const accounts = { [credentials.accessKeyId]: credentials }

describe("the examples of AWS", () => {
  // The library takes `date` for a header of its own and leaves it out.
  it.each(examples.filter(({ name }) => name !== "PUT Object"))("$name is signed as they say", async (example) => {
    const headers = await signer.sign(example.request, example.payload, credentials, at)
    expect(headers["authorization"]).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE\/20130524\/us-east-1\/s3\//,
    )
    expect(headers["authorization"]).toContain(`Signature=${example.signature}`)
    expect(headers).toMatchObject({ "x-amz-content-sha256": example.payload, "x-amz-date": "20130524T000000Z" })
  })

  it.each(examples)("$name is good for the double", ({ request, target, payload, signature }) => {
    const headers = {
      host,
      "x-amz-content-sha256": payload,
      "x-amz-date": "20130524T000000Z",
      ...("headers" in request && (request.headers as Record<string, string>)),
    }
    const signed = Object.keys(headers).toSorted().join(";")
    const verify = (word: string) =>
      verifySignature(
        {
          method: request.method,
          target,
          headers: {
            ...headers,
            authorization: `AWS4-HMAC-SHA256 Credential=${credentials.accessKeyId}/20130524/us-east-1/s3/aws4_request,SignedHeaders=${signed},Signature=${word}`,
          },
        },
        accounts,
        region,
        at,
      )
    expect(verify(signature)).toEqual({ payload })
    expect(verify(signature.replace(/^./, "0"))).toMatchObject({ code: "SignatureDoesNotMatch" })
  })

  it("a presigned GET is the one that they show, and the double takes it for a day", async () => {
    const query = await signer.presign({ method: "GET", key: "test.txt" }, 86_400, credentials, at)
    expect(query).toEqual({
      "X-Amz-Algorithm": "AWS4-HMAC-SHA256",
      "X-Amz-Credential": "AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request",
      "X-Amz-Date": "20130524T000000Z",
      "X-Amz-Expires": "86400",
      "X-Amz-SignedHeaders": "host",
      "X-Amz-Signature": presigned,
    })
    const verify = (now: number) =>
      verifySignature(
        { method: "GET", target: `/test.txt${toSearch(query)}`, headers: { host } },
        accounts,
        region,
        now,
      )
    expect(verify(at)).toEqual({ payload: undefined })
    expect(verify(at + 86_400_000)).toMatchObject({ code: "AccessDenied" })
  })
})

describe("what is signed", () => {
  it("holds the token of credentials that have one", async () => {
    const withToken = { ...credentials, sessionToken: "a/token+=" }
    const headers = await signer.sign({ method: "GET", key: "a" }, emptySha256, withToken, at)
    expect(headers["x-amz-security-token"]).toBe("a/token+=")
    expect(headers["authorization"]).toContain(
      "SignedHeaders=host;x-amz-content-sha256;x-amz-date;x-amz-security-token,",
    )
    const query = await signer.presign({ method: "GET", key: "a" }, 60, withToken, at)
    expect(query).toMatchObject({ "X-Amz-Security-Token": "a/token+=" })
    const known = { [credentials.accessKeyId]: withToken }
    const target = `/a${toSearch(query)}`
    expect(verifySignature({ method: "GET", target, headers: { host } }, known, region, at)).toEqual({
      payload: undefined,
    })
  })

  it("has the headers of a presigned request as headers", async () => {
    const headers = { "content-length": "3", "x-amz-content-sha256": emptySha256 }
    const query = await signer.presign({ method: "PUT", key: "a", headers }, 60, credentials, at)
    expect(query["X-Amz-SignedHeaders"]).toBe("content-length;host;x-amz-content-sha256")
    expect(Object.keys(query)).not.toContain("x-amz-content-sha256")
  })
})
