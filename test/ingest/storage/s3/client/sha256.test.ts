import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import type { createS3Signer as CreateS3Signer } from "../../../../../src/ingest/storage/s3/client/signer.ts"
import type { hashPieces as HashPieces } from "../../../../../src/ingest/storage/s3/client/sha256.ts"
import { toBucketAddress } from "../../../../../src/ingest/storage/s3/client/address.ts"
import { createS3Signer, type S3Signer } from "../../../../../src/ingest/storage/s3/client/signer.ts"
import { hashPieces } from "../../../../../src/ingest/storage/s3/client/sha256.ts"

const address = toBucketAddress({ endpoint: "https://example.com", bucket: "bucket" })
const credentials = { accessKeyId: "key", secretAccessKey: "secret" }

describe("where there is no Node", () => {
  let web: { readonly hashPieces: typeof HashPieces; readonly createS3Signer: typeof CreateS3Signer }

  beforeAll(async () => {
    const { getBuiltinModule } = process
    vi.spyOn(process, "getBuiltinModule").mockImplementation((id: string) =>
      id === "node:crypto" ? undefined : getBuiltinModule(id),
    )
    vi.resetModules()
    web = {
      ...(await import("../../../../../src/ingest/storage/s3/client/sha256.ts")),
      ...(await import("../../../../../src/ingest/storage/s3/client/signer.ts")),
    }
    vi.restoreAllMocks()
  })
  afterAll(() => vi.resetModules())

  it.each([[[]], [["abc"]], [["a", "", "bc"]]])("%j has the same hash", async (texts) => {
    const pieces = texts.map((text) => new TextEncoder().encode(text))
    expect(await web.hashPieces(pieces)).toBe(await hashPieces(pieces))
  })

  it("signatures are the same", async () => {
    expect(web.createS3Signer).not.toBe(createS3Signer)
    const sign = async (signer: S3Signer) => {
      const request = { method: "PUT", key: "ü", query: { uploadId: "1" } }
      const at = Date.UTC(2026, 1, 3)
      return [
        await signer.sign(request, "0".repeat(64), credentials, at),
        await signer.presign(request, 60, credentials, at),
      ]
    }
    expect(await sign(web.createS3Signer(address, "r"))).toEqual(await sign(createS3Signer(address, "r")))
  })
})
