import { createSigner, encodeAppId, encodeToken, names } from "../../../src/protocol.ts"
import { type createRouteHandler, createSluice, UploadError } from "../../../src/server.ts"

export const appId = "app-1"
export const apiKey = "sk_test_0123456789abcdef"
export const signer = createSigner(apiKey)
export const encodedAppId = encodeAppId(appId)
export const token = encodeToken({ apiKey, appId, regions: ["local"] })
export const ingestUrl = "http://ingest.test"
export const appUrl = "http://app.test/api/sluice"

export type Handle = (request: Request) => Promise<Response>

export type Fetch = NonNullable<Parameters<typeof createRouteHandler>[0]["fetch"]>

/** A fetch for which these are all the hosts there are. */
export const createNetwork =
  (hosts: Readonly<Record<string, Handle>>): Fetch =>
  async (input, init) => {
    const request = new Request(input, init)
    const handle = hosts[new URL(request.url).host]
    if (handle === undefined) throw new TypeError(`There is no ${request.url}`)
    return handle(request)
  }

const f = createSluice()

/** The routes of the app in these suites. */
export const router = {
  note: f({ blob: { maxFileSize: "32MB", maxFileCount: 4 } })
    .middleware(({ request }) => ({ user: request.headers.get("x-user") }))
    .onUploadComplete(({ file, metadata }) => ({ name: file.name, hash: file.fileHash, user: metadata.user })),
  secret: f({ blob: { maxFileSize: "1MB", acl: "private" } }).onUploadComplete(() => null),
  avatar: f({ image: { maxFileSize: "1KB", maxFileCount: 2 } }).onUploadComplete(() => "kept"),
  refused: f({ blob: {} })
    .middleware((): object => {
      throw new UploadError({ code: "QUOTA_EXCEEDED", status: 402, message: "Pay 5 € first." })
    })
    .onUploadComplete(() => null),
}

export type Router = typeof router

export const uploadRequest = (
  slug: string,
  files: ReadonlyArray<{ readonly name: string; readonly size: number; readonly type: string }>,
  action = names.action.upload,
): Request =>
  new Request(`${appUrl}?${names.action.type}=${action}&${names.action.slug}=${slug}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-user": "ünï" },
    body: JSON.stringify({ files }),
  })

export const toHex = (bytes: ArrayBuffer): string =>
  Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, "0")).join("")

/** SHA-256 as the Web platform works it out. */
export const sha256 = async (bytes: Uint8Array<ArrayBuffer>): Promise<string> =>
  toHex(await crypto.subtle.digest("SHA-256", bytes))

/** Bytes in which no two stretches are alike. */
export const createContent = (length: number): Uint8Array<ArrayBuffer> =>
  new Uint8Array(length).map((_, i) => (i * 31 + (i >>> 8) * 17) & 0xff)
