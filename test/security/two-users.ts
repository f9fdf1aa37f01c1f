/*
 * An app with two users whom it gives the same file keys, and its ingest, both in this process. For what one user may
 * not do to the other.
 */
import type { IngestOptions } from "../../src/ingest.ts"
import { names, type PresignedUpload } from "../../src/protocol.ts"
import { createSluice, UploadError } from "../../src/server.ts"
import { startApp } from "./app-with-ingest.ts"
import { postAction, presignedOf } from "./post-action.ts"

/** What the app's own code was told. */
export interface Told {
  readonly by: "complete" | "error"
  readonly user: string
  readonly file: string
}

/** A registration on its way to the ingest. */
type Pass = (send: () => Promise<Response>) => Promise<Response>

/**
 * An app with a real ingest and users who say who they are in a header, all over sockets. The seed of a file's key is
 * its name: the app gives two users the same keys.
 */
export const startSharedApp = async (
  options: Partial<IngestOptions> = {},
  settings: { readonly presignedUrlTtl?: "10 minutes" | "2 days" } = {},
) => {
  const told: Array<Told> = []
  const config = { blob: { maxFileSize: "1GB", maxFileCount: 5 } } as const
  const options_ = { fileKeySeed: (file: { readonly name: string }) => file.name, ...settings }
  const router = {
    shared: createSluice()(config, options_)
      .middleware(({ request, renewal }) => {
        const user = request.headers.get("x-user") ?? ""
        const isOthers = renewal?.some(({ metadata }) => (metadata as { user: string }).user !== user)
        if (isOthers === true) throw new UploadError("That is somebody else's upload.")
        return { user, secret: `secret of ${user}` }
      })
      .onUploadError(({ metadata, fileKey }) => void told.push({ by: "error", user: metadata.user, file: fileKey }))
      .onUploadComplete(({ metadata, file }) => {
        told.push({ by: "complete", user: metadata.user, file: file.key })
        return { secret: metadata.secret }
      }),
  }
  let pass: Pass = (send) => send()
  const { ingest, url } = await startApp(
    router,
    {
      // As on platforms that take work along: URLs are out before the registration has arrived.
      waitUntil: () => {},
      fetch: (input, init) => {
        const isRegistration = (input as string).endsWith(`/${names.path.register}`)
        return isRegistration ? pass(() => fetch(input, init)) : fetch(input, init)
      },
    },
    options,
  )

  const ask = (action: "upload" | "renew", user: string, body: object): Promise<Response> =>
    postAction(url, action, "shared", body, { "x-user": user })

  return {
    ingest,
    url,
    told,
    router,
    /** What happens to registrations from now on. */
    passRegistrations: (by: Pass) => void (pass = by),
    /** The upload action of a user for one file. */
    presign: async (user: string, content: string, name = "a.txt"): Promise<PresignedUpload> => {
      // Two actions are never of the same millisecond here: the later one counts.
      await new Promise((resolve) => setTimeout(resolve, 3))
      const files = [{ name, size: content.length, type: "text/plain" }]
      const [presigned] = await presignedOf(await ask("upload", user, { files }))
      return presigned!
    },
    renew: (user: string, ...urls: ReadonlyArray<string>): Promise<Response> => ask("renew", user, { urls }),
  }
}

/** Two answers that must be the same in what they give away. */
export const bodyOf = async (response: Response): Promise<{ status: number; code?: string; text: string }> => {
  const text = await response.text()
  const code = /"code":"(\w+)"/.exec(text)?.[1]
  return { status: response.status, text, ...(code !== undefined && { code }) }
}
