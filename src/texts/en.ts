export { createUploadTexts as createTexts, english as en } from "../ui/texts/english-texts.ts"
