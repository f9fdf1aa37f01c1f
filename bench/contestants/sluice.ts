import { join } from "node:path"
import { encodeAppId } from "../../src/protocol/signing/app-id.ts"
import { createFileKey } from "../../src/protocol/files/key.ts"
import { names } from "../../src/protocol/names.ts"
import { encodeToken } from "../../src/protocol/signing/token.ts"
import { type Contestant, expect } from "./contestant.ts"
import { apiKey, appId, appUrl, describeFiles, fetchOk, hmac, ingestUrl, repeatPost } from "./fixture.ts"

const dist = join(import.meta.dirname, "../../dist/server.js")
const { createRouteHandler, createSluice } = (await import(dist)) as typeof import("../../src/server.ts")

/** An ingest that opens seals, and says so when the first action is registered. */
const fetchOpening: typeof fetchOk = async (...given) => {
  const answer = await fetchOk(...given)
  answer.headers.set(names.header.accept, "seal")
  return answer
}

const createHandler = (onComplete: () => void = () => {}) => {
  const f = createSluice()
  return createRouteHandler({
    router: {
      photos: f({ image: { maxFileSize: "4MB", maxFileCount: 100 } })
        .middleware(() => ({ userId: "user_1" }))
        .onUploadComplete(({ metadata }) => {
          onComplete()
          return { uploadedBy: metadata.userId }
        }),
    },
    token: encodeToken({ apiKey, appId, regions: ["eu"], ingestUrl }),
    callbackUrl: `${appUrl}${names.adapterPath}`,
    logLevel: "Error",
    fetch: fetchOpening,
  })
}

const address = (query: string) => `${appUrl}${names.adapterPath}?${query}`

/** How often an answer was checked: before the first one, and after the last one that was measured. */
let checks = 0

export const sluice: Contestant = {
  upload: async (count) => ({
    request: repeatPost(
      address(`${names.action.type}=${names.action.upload}&${names.action.slug}=photos`),
      JSON.stringify({ files: describeFiles(count) }),
    ),
    handle: createHandler(),
    check: (status, body) => {
      expect(status === 200, `${status} ${body}`)
      const answers = JSON.parse(body) as Array<{ key: string; url: string; name: string }>
      expect(answers.length === count, `${answers.length} URLs for ${count} files`)
      expect(new Set(answers.map(({ key }) => key)).size === count, "a key twice")
      expect(checks++ === 0 || answers.every(({ url }) => url.includes(names.query.seal)), "no seal was measured")
      for (const { url } of answers) {
        const [signed = "", signature] = url.split(`&${names.query.signature}=`)
        expect(signature === `hmac-sha256%3D${hmac(signed)}`, `the signature of ${url}`)
      }
    },
  }),
  callback: async () => {
    let completions = 0
    const key = createFileKey(encodeAppId(appId))
    const body = JSON.stringify({
      id: "evt_1",
      sentAt: Date.now(),
      attempt: 1,
      status: "uploaded",
      origin: ingestUrl,
      slug: "photos",
      metadata: { userId: "user_1" },
      file: {
        key,
        name: "Holiday photo.png",
        size: 100_000,
        type: "image/png",
        customId: null,
        url: `${ingestUrl}/f/${key}`,
        fileHash: hmac("content"),
        uploadedAt: Date.now(),
      },
    })
    const headers = {
      [names.header.hook]: "callback",
      [names.header.accept]: "result",
      [names.header.signature]: `hmac-sha256=${hmac(body)}`,
    }
    return {
      request: repeatPost(address(`${names.action.slug}=photos`), body, headers),
      handle: createHandler(() => completions++),
      check: (status, answer) => {
        expect(status === 200 && answer.includes('"callbackData":{"uploadedBy":"user_1"}'), `${status} ${answer}`)
        expect(completions > 0, "onUploadComplete did not run")
      },
    }
  },
}
