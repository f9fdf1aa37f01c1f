import { createSigner, signUploadUrl, type UploadGrant } from "../../../src/protocol.ts"
import { createSealer } from "../../../src/protocol/signing/seal.ts"
import { apiKey, createGrant, type IngestUnderTest, putRaw } from "../circle.ts"
import { labelled } from "../labelled.ts"

/** What a file in which something is found has in it. */
export const bad = "something bad"

/** A signed URL of a file that is held once it has arrived, and its grant. */
export const signHeld = async (
  { url }: Pick<IngestUnderTest, "url">,
  given: Partial<UploadGrant> = {},
  key = apiKey,
): Promise<{ readonly grant: UploadGrant; readonly signed: string }> => {
  const grant = await labelled({ hold: true }, given, createSealer(key))
  return { grant, signed: await signUploadUrl(url, grant, createSigner(key)) }
}

/** Uploads a file that is held then. Fails: rejects where it is not taken. */
export const sendHeld = async (
  ingest: Pick<IngestUnderTest, "url">,
  content: string | Uint8Array<ArrayBuffer>,
  given: Partial<UploadGrant> = {},
  key = apiKey,
): Promise<UploadGrant> => {
  const size = Buffer.byteLength(content)
  const { grant, signed } = await signHeld(ingest, { size, ...given }, key)
  const response = await putRaw(signed, content)
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  return grant
}

/** Writes a file that is held into the catalog, also of an app that the ingest does not know. */
export const commitHeld = async (
  { catalog, url }: Pick<IngestUnderTest, "catalog" | "url">,
  given: Partial<UploadGrant>,
  content: string,
  owner?: string,
): Promise<void> => {
  const grant = createGrant(given)
  await catalog.commitWhole({
    grant,
    labels: { hold: true, ...(owner !== undefined && { owner }) },
    origin: url,
    bytes: new TextEncoder().encode(content),
    fileHash: "",
    now: Date.now(),
    eventId: `evt_${grant.key}`,
    claimedUntil: null,
  })
}
