import type { UploadGrant } from "../../src/protocol.ts"
import { createSealer } from "../../src/protocol/signing/seal.ts"
import { apiKey, createGrant } from "./circle.ts"

const sealer = createSealer(apiKey)

/** A grant whose URL says something of its file, sealed with the app's key unless another sealer is given. */
export const labelled = async (labels: object, given: Partial<UploadGrant> = {}, by = sealer): Promise<UploadGrant> => {
  const grant = createGrant({ issuedAt: Date.now(), ...given })
  return { ...grant, labels: await by.seal(JSON.stringify(labels), { appId: grant.appId, fileKey: grant.key }) }
}
