import { peerFile } from "../peers.ts"
import { type Contestant, expect } from "./contestant.ts"
import { appUrl, describeFiles, repeatPost } from "./fixture.ts"

const { handleRequest, route } = await import(peerFile("@better-upload/server/dist/index.mjs"))
const { custom } = await import(peerFile("@better-upload/server/dist/clients/index.mjs"))

/** Presigned S3 URLs: no registration and no callback, so less is asked of it than of the others. */
export const betterUpload: Contestant = {
  upload: async (count) => {
    const router = {
      client: custom({ host: "s3.example.com", accessKeyId: "AKIAEXAMPLE", secretAccessKey: "secret", region: "eu" }),
      bucketName: "photos",
      routes: {
        photos: route({
          fileTypes: ["image/*"],
          maxFileSize: 4 * 2 ** 20,
          multipleFiles: true,
          maxFiles: 100,
          onBeforeUpload: () => ({ metadata: { userId: "user_1" } }),
        }),
      },
    }
    return {
      request: repeatPost(
        `${appUrl}/api/upload`,
        JSON.stringify({
          route: "photos",
          files: describeFiles(count).map(({ name, size, type }) => ({ name, size, type })),
        }),
      ),
      handle: (request) => handleRequest(request, router),
      check: (status, body) => {
        expect(status === 200, `${status} ${body}`)
        const { files } = JSON.parse(body) as { files: Array<{ signedUrl: string }> }
        expect(files.length === count, `${files.length} URLs for ${count} files`)
        expect(
          files.every(({ signedUrl }) => signedUrl.includes("X-Amz-Signature=")),
          "no signature",
        )
      },
    }
  },
}
