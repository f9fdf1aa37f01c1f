export { createUploadTexts as createTexts, english as en } from "../ui/english-texts.ts"
