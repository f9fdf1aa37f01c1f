import * as Effect from "effect/Effect"
import { type Answer, toJsonAnswer } from "../http/answer.ts"
import type { PresignedUpload } from "../protocol/messages.ts"
import { signUploadUrl, type UploadGrant } from "../protocol/signing/signed-url.ts"
import type { Credentials } from "../protocol/signing/credentials.ts"

/** A grant, and what the page is told of its file besides. */
export interface PageGrant extends UploadGrant {
  readonly isHeld?: boolean | undefined
}

const toPresigned = ({ key, name, customId, isHeld }: PageGrant, url: string): PresignedUpload => ({
  key,
  url,
  name,
  customId: customId ?? null,
  ...(isHeld && { isHeld }),
})

/** Signs a URL for each grant, in order. It is synchronous where the platform signs synchronously. */
export const signUploads = (
  { ingestUrl, signer }: Credentials,
  grants: ReadonlyArray<PageGrant>,
): Effect.Effect<ReadonlyArray<PresignedUpload>> =>
  Effect.suspend(() => {
    const urls = grants.map((grant) => signUploadUrl(ingestUrl, grant, signer))
    return urls.every((url) => typeof url === "string")
      ? Effect.succeed(grants.map((grant, i) => toPresigned(grant, urls[i] as string)))
      : Effect.map(
          Effect.promise(() => Promise.all(urls)),
          (signed) => grants.map((grant, i) => toPresigned(grant, signed[i]!)),
        )
  })

/** The answer to upload and renew. Source: docs/protocol.md §5. */
export const toPresignedAnswer = (presigned: ReadonlyArray<PresignedUpload>): Answer =>
  toJsonAnswer(presigned, { "cache-control": "no-store" })
