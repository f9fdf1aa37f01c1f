import { createHmac, createSecretKey, randomBytes, timingSafeEqual } from "node:crypto"
import { type Contestant, expect } from "./contestant.ts"
import { apiKey, appId, appUrl, describeFiles, fetchOk, hmac, ingestUrl, repeatPost } from "./fixture.ts"

interface NamedFile {
  readonly name: string
  readonly size: number
  readonly type: string
}

const key = createSecretKey(apiKey, "utf8")

/** The least a program can do for the same answer: no checks, no framework, one registration. */
const handleUpload = async (request: Request): Promise<Response> => {
  const { files } = (await request.json()) as { files: ReadonlyArray<NamedFile> }
  const expires = Date.now() + 3_600_000
  const answers = files.map(({ name, size, type }) => {
    const fileKey = `abcdefghijkl${randomBytes(16).toString("base64url")}`
    const url = `${ingestUrl}/${fileKey}?expires=${expires}&x-sluice-identifier=${appId}&x-sluice-file-name=${encodeURIComponent(name)}&x-sluice-file-size=${size}&x-sluice-file-type=${encodeURIComponent(type)}&x-sluice-slug=photos`
    const signature = createHmac("sha256", key).update(url).digest("hex")
    return { key: fileKey, url: `${url}&signature=hmac-sha256%3D${signature}`, name, customId: null }
  })
  const registered = await register(
    JSON.stringify({
      fileKeys: answers.map((answer) => answer.key),
      metadata: { userId: "user_1" },
      callbackUrl: `${appUrl}/api`,
      callbackSlug: "photos",
    }),
  )
  return registered.ok ? Response.json(answers) : Response.error()
}

const register: (body: string) => Promise<Response> = fetchOk

const handleCallback = async (request: Request): Promise<Response> => {
  const body = new Uint8Array(await request.arrayBuffer())
  const digest = createHmac("sha256", key).update(body).digest()
  const claimed = Buffer.from((request.headers.get("signature") ?? "").slice(12), "hex")
  if (claimed.length !== digest.length || !timingSafeEqual(claimed, digest)) return new Response(null, { status: 403 })
  const event = JSON.parse(new TextDecoder().decode(body)) as { metadata: { userId: string }; file: { key: string } }
  const posted = await register(
    JSON.stringify({ fileKey: event.file.key, callbackData: { uploadedBy: event.metadata.userId } }),
  )
  return posted.ok ? Response.json({ ok: true }) : Response.error()
}

/** The same JSON in and out by bare Node. */
export const floor: Contestant = {
  upload: async (count) => ({
    request: repeatPost(`${appUrl}/api`, JSON.stringify({ files: describeFiles(count) })),
    handle: handleUpload,
    check: (status, body) => {
      expect(status === 200, `${status}`)
      const answers = JSON.parse(body) as Array<{ url: string }>
      expect(answers.length === count, `${answers.length} URLs for ${count} files`)
      for (const { url } of answers) {
        const [signed = "", signature] = url.split("&signature=hmac-sha256%3D")
        expect(signature === hmac(signed), `the signature of ${url}`)
      }
    },
  }),
  callback: async () => {
    const body = JSON.stringify({
      id: "evt_1",
      sentAt: Date.now(),
      attempt: 1,
      status: "uploaded",
      origin: ingestUrl,
      slug: "photos",
      metadata: { userId: "user_1" },
      file: { key: "abcdefghijkl", name: "Holiday photo.png", size: 100_000, type: "image/png", customId: null },
    })
    return {
      request: repeatPost(`${appUrl}/api`, body, { signature: `hmac-sha256=${hmac(body)}` }),
      handle: handleCallback,
      check: (status, answer) => expect(status === 200 && answer === '{"ok":true}', `${status} ${answer}`),
    }
  },
}

/** Reads the request, echoes it: what Node's own Request and Response cost. */
export const noop: Contestant = {
  upload: async (count) => ({
    request: repeatPost(`${appUrl}/api`, JSON.stringify({ files: describeFiles(count) })),
    handle: async (request) => Response.json(await request.json()),
    check: (status) => expect(status === 200, `${status}`),
  }),
}
