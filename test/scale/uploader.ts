import { randomUUID } from "node:crypto"
import {
  createFileKey,
  createSigner,
  encodeAppId,
  formatUploadRange,
  names,
  signUploadUrl,
  type UploadGrant,
} from "../../src/protocol.ts"
import { createSealer } from "../../src/protocol/signing/seal.ts"
import { type Answer, exchange, type Outgoing } from "../reliability/exchange.ts"
import { publicUrl } from "./start-deployment.ts"

/** Asks once more where the connection broke: one that was idle may have been closed by an ingest that stood still. */
const ask = async (url: string, outgoing: Outgoing): Promise<Answer | undefined> =>
  (await exchange(url, outgoing)) ?? (await exchange(url, outgoing))

/** An app, and what it does at whichever ingest. */
export const createUploader = (appId: string, apiKey: string, callbackUrl?: string) => {
  const signer = createSigner(apiKey)
  const sealer = createSealer(apiKey)
  const slug = "scale"
  return {
    /** A grant whose URL carries its registration, where the app is called back. */
    createGrant: async (size: number): Promise<UploadGrant> => ({
      key: createFileKey(encodeAppId(appId)),
      appId,
      expires: Date.now() + 3_600_000,
      name: "file.bin",
      size,
      type: "text/plain",
      ...(callbackUrl !== undefined && {
        slug,
        registrationId: randomUUID(),
        issuedAt: Date.now(),
        seal: await sealer.seal(JSON.stringify({ callbackUrl, awaitServerData: true, metadata: {} }), { appId, slug }),
      }),
    }),
    put: async (
      at: string,
      grant: UploadGrant,
      start: number,
      body: ReadonlyArray<Uint8Array>,
      more: Partial<Outgoing> = {},
    ): Promise<Answer | undefined> =>
      exchange(at + (await signUploadUrl(publicUrl, grant, signer)).slice(publicUrl.length), {
        method: "PUT",
        headers: { "content-type": "application/octet-stream", range: formatUploadRange(start) },
        body,
        ...more,
      }),
    /** How many bytes the ingest says are stored. */
    askOffset: async (at: string, grant: UploadGrant): Promise<number> => {
      const url = at + (await signUploadUrl(publicUrl, grant, signer)).slice(publicUrl.length)
      const answer = await ask(url, { method: "HEAD" })
      if (answer?.status !== 200) throw new Error(`HEAD was answered ${String(answer?.status)}.`)
      return Number(answer.headers[names.header.rangeStart])
    },
    read: (at: string, { key }: UploadGrant): Promise<Answer | undefined> =>
      ask(`${at}/${names.path.file}/${key}`, { method: "GET" }),
    call: async (at: string, operation: string, body: object): Promise<void> => {
      const answer = await ask(`${at}/${names.path.api}/${operation}`, {
        method: "POST",
        headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
        body: [Buffer.from(JSON.stringify(body))],
      })
      if (answer?.status !== 200) throw new Error(`${operation} was answered ${String(answer?.status)}.`)
    },
  }
}
