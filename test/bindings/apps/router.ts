import { createSluice, type FileRouter, UploadError } from "../../../src/server.ts"

const f = createSluice()

/** What the pages of the bindings upload to. */
export const router = {
  photos: f({ image: { maxFileSize: "4MB", maxFileCount: 3 } }).onUploadComplete(({ file }) => ({ stored: file.name })),
  avatar: f({ image: { maxFileSize: "4MB" } }).onUploadComplete(({ file }) => ({ stored: file.name })),
  anything: f({ blob: { maxFileSize: "1GB", maxFileCount: 20 } }).onUploadComplete(({ file }) => ({
    stored: file.name,
  })),
  forbidden: f({ blob: { maxFileCount: 5 } })
    .middleware(() => {
      throw new UploadError("Sign in first.")
    })
    .onUploadComplete(() => null),
} satisfies FileRouter
