import type { TypedFileRouter } from "../client.ts"
import {
  createSigner,
  type FoundRegistrations,
  names,
  type Registration,
  type RegistrationQuery,
  verifyUploadUrl,
} from "../protocol.ts"
import { type MockMetadata, mockToken, type UntypedMockRoute } from "./mock-app.ts"
import { isForm } from "./mock-body.ts"
import type { MockControls } from "./mock-controls.ts"
import { toFailedResponse } from "./mock-failure.ts"
import { respondMockPut } from "./mock-put.ts"
import { createMockUpload, type MockUpload, respondMockCancel, toFailure, toOffset } from "./mock-upload.ts"
import type { UploadedFile } from "./uploaded-file.ts"

const allowedHeaders = ["range", "content-type", names.header.version, "traceparent", "content-digest", "repr-digest"]

/** Pages of any origin may read the answer. */
const allowOrigins = (response: Response, isPreflight: boolean): void => {
  const { headers } = response
  headers.set("access-control-allow-origin", "*")
  headers.set("access-control-expose-headers", `${names.header.rangeStart}, retry-after`)
  if (isPreflight) {
    headers.set("access-control-allow-methods", "PUT, POST, DELETE, HEAD, GET")
    headers.set("access-control-allow-headers", allowedHeaders.join(", "))
  }
}

/**
 * The ingest: keeps bytes in memory, and fails or waits where the test wants it to.
 *
 * Source: docs/protocol.md §10.
 */
export const createMockIngest = (
  routes: ReadonlyMap<string, UntypedMockRoute>,
  ingestUrl: string,
  controls: MockControls,
) => {
  const signer = createSigner(mockToken.apiKey)
  const uploads = new Map<string, MockUpload>()
  const files: Array<UploadedFile<TypedFileRouter>> = []
  const fileUrl = `${ingestUrl}/${names.path.file}/`

  const serve = ({ url, method }: Request): Response => {
    const file = files.find((candidate) => url === candidate.url)
    if (file === undefined) return toFailedResponse(toFailure("NOT_FOUND", "No such file has been uploaded."))
    return new Response(method === "HEAD" ? null : new Uint8Array(file.bytes), {
      headers: { "content-type": file.type, "content-length": String(file.size) },
    })
  }

  const respond = async (request: Request): Promise<Response> => {
    if (request.method === "OPTIONS") return new Response(null, { status: 204 })
    if (request.url.startsWith(fileUrl)) return serve(request)
    const verified = await verifyUploadUrl(request.url, signer, { now: Date.now() })
    if (!verified.ok) return toFailedResponse(toFailure(verified.code, verified.detail))
    const grant = verified.value
    const upload = uploads.get(grant.key)
    if (upload === undefined) {
      return toFailedResponse(toFailure("NOT_FOUND", "This upload was forgotten when the mock was reset."))
    }
    if (request.method === "DELETE") return respondMockCancel(upload)
    if (request.method === "HEAD") {
      upload.writer = undefined
      return new Response(null, { headers: { ...toOffset(upload.bytes.length), "cache-control": "no-store" } })
    }
    if (request.method !== "PUT" && (request.method !== "POST" || isForm(request))) {
      const detail = "A signed URL takes PUT, HEAD, DELETE, and POST of anything but a form."
      return toFailedResponse(toFailure("METHOD_NOT_ALLOWED", detail))
    }
    const { slug, input } = upload
    return respondMockPut({
      request,
      grant,
      upload,
      route: routes.get(slug)!,
      controls,
      ingestUrl,
      isKnown: () => uploads.get(grant.key) === upload,
      onResult: ({ serverData: _, ...file }) => files.push({ ...file, slug, input, bytes: upload.bytes }),
    })
  }

  return {
    files,
    /** Handles a {@link Registration} of the app, as JSON. A renewed upload is resumed. */
    register: (registration: string): void => {
      const { id, fileKeys, callbackSlug, metadata }: Registration = JSON.parse(registration)
      const { input } = metadata as MockMetadata
      for (const key of fileKeys) {
        const isRenewed = id !== undefined && uploads.get(key)?.registrationId === id
        if (!isRenewed) uploads.set(key, createMockUpload(id, callbackSlug, input))
      }
    },
    /** Answers a {@link RegistrationQuery} of the app, as JSON. */
    findRegistrations: (query: string): Response => {
      const { files }: RegistrationQuery = JSON.parse(query)
      const found = files.map(({ key, id }) => {
        const upload = uploads.get(key)
        return upload?.registrationId === id ? upload : undefined
      })
      if (found.includes(undefined)) {
        return toFailedResponse(toFailure("NOT_FOUND", "This upload was forgotten when the mock was reset."))
      }
      const registrations = found.map((upload) => ({
        metadata: upload?.input === undefined ? {} : { input: upload.input },
      }))
      return Response.json({ registrations, files: files.map((_, place) => place) } satisfies FoundRegistrations)
    },
    /** Answers a request to any address of the ingest. */
    fetch: async (request: Request): Promise<Response> => {
      const response = await respond(request)
      // A broken connection has no headers.
      if (response.type !== "error") allowOrigins(response, request.method === "OPTIONS")
      return response
    },
    reset: (): void => {
      uploads.clear()
      files.length = 0
    },
  }
}
