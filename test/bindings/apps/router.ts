import { createSluice, type FileRouter, UploadError } from "../../../src/server.ts"

const f = createSluice()

/** What the pages of the bindings upload to. */
export const router = {
  photos: f({ image: { maxFileSize: "4MB", maxFileCount: 3 } }).onUploadComplete(({ file }) => ({ stored: file.name })),
  avatar: f({ image: { maxFileSize: "4MB" } }).onUploadComplete(({ file }) => ({ stored: file.name })),
  icon: f({ "image/png": { maxFileSize: "4MB" } }).onUploadComplete(() => null),
  anything: f({ blob: { maxFileSize: "1GB", maxFileCount: 100 } }).onUploadComplete(({ file }) => ({
    stored: file.name,
  })),
  scans: f({ pdf: { maxFileSize: "16MB" } }).onUploadComplete(({ file }) => ({ stored: file.name })),
  pair: f({ image: { maxFileSize: "4MB", maxFileCount: 3, minFileCount: 2 } }).onUploadComplete(({ file }) => ({
    stored: file.name,
  })),
  documents: f({
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document": { maxFileCount: 1 },
  }).onUploadComplete(() => null),
  checked: f({ image: { maxFileSize: "4MB", maxFileCount: 3 } }, { hold: true }).onUploadComplete(({ file }) => ({
    stored: file.name,
  })),
  moderated: f(
    { image: { maxFileSize: "4MB", maxFileCount: 3 } },
    { hold: true, awaitServerData: false },
  ).onUploadComplete(() => null),
  forbidden: f({ blob: { maxFileCount: 12 } })
    .middleware(() => {
      throw new UploadError("Sign in first.")
    })
    .onUploadComplete(() => null),
} satisfies FileRouter
