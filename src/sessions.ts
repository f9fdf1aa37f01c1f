export type { SessionsOptions } from "./client/sessions/create-sessions.ts"
export { createSessions } from "./client/sessions/create-sessions.ts"
export type { InterruptedUpload, SessionOptions, UploadSession, UploadSessions } from "./client/upload-sessions.ts"
