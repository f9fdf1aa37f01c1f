import {
  type CallbackEvent,
  createSealer,
  createSigner,
  names,
  type PresignedUpload,
  type Registration,
  type SealedRegistration,
} from "../../protocol.ts"
import type { RecordingIngest } from "./recording-ingest.ts"
import { probeHeader } from "./test-router.ts"

/** Of the app that the suite starts. */
export const apiKey = "sk_adapter_suite"
export const appId = "adapters"

const signer = createSigner(apiKey)

const json = { "content-type": "application/json" }

/** Asks an app for the URL of a file `ünï.txt`. */
export const upload = (
  url: string,
  slug: string,
  init: Omit<RequestInit, "headers"> & { headers?: Record<string, string> } = {},
) =>
  fetch(`${url}?${names.action.type}=${names.action.upload}&${names.action.slug}=${slug}`, {
    method: "POST",
    body: JSON.stringify({ files: [{ name: "ünï.txt", size: 3, type: "text/plain" }] }),
    ...init,
    headers: { ...json, ...init.headers },
  })

/** Odd whitespace and escapes: JSON that no serializer writes. */
export const distort = (text: string): string =>
  `\n\t ${text.replaceAll('":', '" :\r\n\t').replaceAll("ü", "\\u00fc").replaceAll("/", "\\/")} \n`

/** The event of a file that the ingest never had, as text. */
export const toCallbackBody = (ingest: RecordingIngest): string =>
  JSON.stringify({
    id: "evt_1",
    sentAt: Date.now(),
    attempt: 1,
    status: "uploaded",
    origin: ingest.url,
    slug: "note",
    metadata: { probe: "über" },
    file: {
      key: ingest.inventKey(),
      name: "€ 😀 ü.txt",
      size: 3,
      type: "text/plain",
      customId: null,
      url: `${ingest.url}/f/x`,
      fileHash: "0".repeat(64),
      uploadedAt: Date.now(),
    },
  } satisfies CallbackEvent)

/** The signature of a callback's body. */
export const sign = async (body: string | Uint8Array<ArrayBuffer>): Promise<string> => signer.sign(body)

/** Calls an app back, with the signature of another text where one is given. */
export const callBack = async (url: string, body: string, signed = body): Promise<Response> =>
  fetch(`${url}?${names.action.slug}=note`, {
    method: "POST",
    headers: {
      ...json,
      [names.header.hook]: "callback",
      [names.header.signature]: await sign(signed),
      [probeHeader]: "callback",
    },
    body,
  })

/**
 * What the app wants for the upload that was answered so: its URL says it, or a registration, which comes after the answer
 * where there is a `waitUntil`.
 */
export const registrationOf = async (
  ingest: RecordingIngest,
  response: Response,
): Promise<Pick<Registration, "callbackUrl" | "metadata">> => {
  const [{ key, url }] = (await response.json()) as [PresignedUpload]
  const { searchParams } = new URL(url)
  const seal = searchParams.get(names.query.seal)
  if (seal !== null) {
    const context = { appId, slug: searchParams.get(names.query.slug)! }
    return JSON.parse((await createSealer(apiKey).open(seal, context))!) as SealedRegistration
  }
  const end = performance.now() + 10_000
  for (;;) {
    const found = ingest.registrations.find(({ fileKeys }) => fileKeys.includes(key))
    if (found !== undefined) return found
    if (performance.now() > end) throw new Error(`${key} is not registered.`)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
