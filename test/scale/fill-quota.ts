import {
  createFileKey,
  createSigner,
  encodeAppId,
  formatUploadRange,
  names,
  signUploadUrl,
} from "../../src/protocol.ts"
import type { Catalog } from "../../src/ingest.ts"
import type { Ask } from "../reliability/crash/ask.ts"
import type { Random } from "../reliability/random.ts"
import { type Deployment, publicUrl } from "./start-deployment.ts"

/** The app whose files have room for a few only. */
export const smallApp = { id: "small", apiKey: "sk_test_small_0123456789", quota: 2_000_000 } as const

export const createSmallApp = async (catalog: Catalog): Promise<void> => {
  const { id, apiKey, quota } = smallApp
  await catalog.createApp({ id, createdAt: 1, name: null, defaultAcl: null, callbackOrigins: null, quota })
  await catalog.addKey({ appId: id, apiKey, now: 1 })
}

/**
 * Uploads through any of the ingests until the quota is used up, deletes, and so on.
 *
 * @param refuse is called where there was no room
 */
export const fillQuota = async (
  { pickUrl }: Deployment,
  random: Random,
  {
    ask,
    violate,
    refuse,
    isOver,
  }: {
    readonly ask: Ask
    readonly violate: (what: string) => void
    readonly refuse: () => void
    readonly isOver: () => boolean
  },
): Promise<void> => {
  const signer = createSigner(smallApp.apiKey)
  const own: Array<string> = []
  /** There was no room for these; but a request before, which was never answered, may come to its end later. */
  const refused: Array<string> = []
  const remove = async (fileKeys: ReadonlyArray<string>): Promise<void> => {
    for (;;) {
      const answer = await ask(`${await pickUrl()}/${names.path.api}/deleteFiles`, {
        method: "POST",
        headers: { "content-type": "application/json", [names.header.apiKey]: smallApp.apiKey },
        body: [Buffer.from(JSON.stringify({ fileKeys }))],
      })
      if (answer?.status === 200) return
      if (answer !== undefined) violate(`deletion in an app with a quota: ${answer.status} ${answer.body.toString()}`)
    }
  }
  while (!isOver()) {
    const key = createFileKey(encodeAppId(smallApp.id))
    const size = random.between(1000, 700_000)
    const signed = await signUploadUrl(
      publicUrl,
      { key, appId: smallApp.id, expires: Date.now() + 3_600_000, name: "file.bin", size, type: "text/plain" },
      signer,
    )
    const body = [Buffer.alloc(size, "a")]
    for (;;) {
      const answer = await ask((await pickUrl()) + signed.slice(publicUrl.length), {
        method: "PUT",
        headers: { "content-type": "application/octet-stream", range: formatUploadRange(0) },
        body,
      })
      if (answer?.status === 200) {
        own.push(key)
        break
      }
      // Where it broke off on the way its bytes are announced: it is deleted, and does not come back.
      if (answer?.status === 409) {
        await remove([key])
        break
      }
      if (answer?.status === 507) {
        refuse()
        refused.push(key)
        if (own.length > 0) await remove(own.splice(random.below(own.length), 1))
        break
      }
      if (answer !== undefined && answer.status !== 423) {
        violate(`upload in an app with a quota: ${answer.status} ${answer.body.toString()}`)
        break
      }
    }
  }
  for (const keys = [...own, ...refused]; keys.length > 0;) await remove(keys.splice(-1000))
}
