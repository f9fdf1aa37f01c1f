export * from "./client.ts"
export { generateUploader } from "./client/generate-uploader.node.ts"
