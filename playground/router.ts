import { defineAdapter, type FileRouter } from "../src/server.ts"

/** A builder for routes that ask nothing of the framework: one router for every app of the playground. */
const { createSluice } = defineAdapter<[request: Request], object>({
  name: "any",
  request: (request) => request,
  native: () => ({}),
})

const f = createSluice()

export const router = {
  anything: f({ blob: { maxFileSize: "16GB", maxFileCount: 20 } }, { presignedUrlTtl: "6 hours" })
    .middleware(({ files }) => {
      console.log(`middleware: asked for ${files.length === 1 ? "one file" : `${files.length} files`}, allowed`)
      return { owner: "you", askedAt: new Date() }
    })
    .onUploadError(({ fileKey, error }) => console.warn(`onUploadError: ${fileKey}: ${error.detail}`))
    .onUploadComplete(({ metadata, file, delivery }) => {
      console.log(
        `onUploadComplete: ${file.name}, ${file.size} bytes (event ${delivery.id}, attempt ${delivery.attempt})`,
      )
      return { stored: file.name, owner: metadata.owner, askedAt: metadata.askedAt }
    }),

  avatar: f({ image: { maxFileSize: "8MB", maxFileCount: 1 } })
    .middleware(() => {
      console.log("middleware: asked for an avatar, allowed")
      return { owner: "you" }
    })
    .onUploadComplete(({ metadata, file }) => {
      console.log(`onUploadComplete: ${metadata.owner} look different as ${file.name}`)
      return { greeting: `Nice picture, ${metadata.owner}!`, picture: file.url }
    }),
} satisfies FileRouter
