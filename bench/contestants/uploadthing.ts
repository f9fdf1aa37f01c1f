import { peerFile } from "../peers.ts"
import { type Contestant, expect } from "./contestant.ts"
import { apiKey, appId, appUrl, describeFiles, fetchOk, hmac, repeatPost } from "./fixture.ts"

// Types of their own would need the peers at every type check of this repository.
const { createRouteHandler, createUploadthing } = await import(peerFile("uploadthing/server/index.js"))

const createHandler = (onComplete: () => void = () => {}): ((request: Request) => Promise<Response>) => {
  const f = createUploadthing()
  return createRouteHandler({
    router: {
      photos: f({ image: { maxFileSize: "4MB", maxFileCount: 100 } })
        .middleware(() => ({ userId: "user_1" }))
        .onUploadComplete(({ metadata }: { metadata: { userId: string } }) => {
          onComplete()
          return { uploadedBy: metadata.userId }
        }),
    },
    config: {
      token: Buffer.from(JSON.stringify({ apiKey, appId, regions: ["eu"] })).toString("base64"),
      callbackUrl: `${appUrl}/api/uploadthing`,
      logLevel: "Error",
      handleDaemonPromise: "void",
      fetch: fetchOk,
    },
  })
}

const headers = { "x-uploadthing-version": "7.7.4", "x-uploadthing-package": "bench" }

export const uploadthing: Contestant = {
  upload: async (count) => ({
    request: repeatPost(
      `${appUrl}/api/uploadthing?actionType=upload&slug=photos`,
      JSON.stringify({ files: describeFiles(count) }),
      headers,
    ),
    handle: createHandler(),
    check: (status, body) => {
      expect(status === 200, `${status} ${body}`)
      const answers = JSON.parse(body) as Array<{ url: string }>
      expect(answers.length === count, `${answers.length} URLs for ${count} files`)
      expect(
        answers.every(({ url }) => url.includes("signature=hmac-sha256")),
        "no signature",
      )
    },
  }),
  callback: async () => {
    let completions = 0
    const body = JSON.stringify({
      status: "uploaded",
      metadata: { userId: "user_1" },
      origin: "https://eu.ingest.uploadthing.com",
      file: {
        key: "abcdefghijklmnopqrstuvwxyz",
        name: "Holiday photo.png",
        size: 100_000,
        type: "image/png",
        customId: null,
        url: "https://utfs.io/f/abcdefghijklmnopqrstuvwxyz",
        appUrl: "https://utfs.io/a/benchmark/abcdefghijklmnopqrstuvwxyz",
        ufsUrl: "https://benchmark.ufs.sh/f/abcdefghijklmnopqrstuvwxyz",
        fileHash: hmac("content"),
        lastModified: 1_700_000_000_000,
      },
    })
    return {
      request: repeatPost(`${appUrl}/api/uploadthing?slug=photos`, body, {
        ...headers,
        "uploadthing-hook": "callback",
        "x-uploadthing-signature": `hmac-sha256=${hmac(body)}`,
      }),
      handle: createHandler(() => completions++),
      check: (status, answer) => {
        expect(status === 200, `${status} ${answer}`)
        expect(completions > 0, "onUploadComplete did not run")
      },
    }
  },
}
