export type { ResumeStoreOptions } from "./client/resume/create-resume-store.ts"
export { createResumeStore } from "./client/resume/create-resume-store.ts"
export type * from "./client/resume/resume-store.ts"
