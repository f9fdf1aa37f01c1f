export * from "./client.ts"
export { generateUploader } from "./client/generate-uploader.node.ts"
export { fileFromPath } from "./transfer/file-from-path.ts"
